import { answerTasks } from '../threads/answer-tasks.ts'
import type { Defect } from '../defect.ts'

/** A defect that changes nothing: no check can notice it. */
export const HARMLESS: Defect = {
  id: '1/harmless',
  breaks: 'nothing',
  kills: { '1/models-offered': /^answered 404$/ },
  wire: {},
}

answerTasks([HARMLESS])
