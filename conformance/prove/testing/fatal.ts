import { answerTasks } from '../threads/answer-tasks.ts'
import type { Defect } from '../defect.ts'

/** A defect that ends the thread which tries it. */
export const FATAL: Defect = {
  id: '1/fatal',
  breaks: 'the suite',
  kills: { '1/models-offered': /^answered 404$/ },
  wire: {
    request(request) {
      process.nextTick(() => {
        throw new Error('out of order')
      })
      return request
    },
  },
}

answerTasks([FATAL])
