import { isMainThread } from 'node:worker_threads'
import { runTasks } from '../threads/run-tasks.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

export const FATAL_MUTANT: Mutant = {
  id: '1/fatal',
  breaks: 'the suite',
  kills: { '1/models-offered': matchUnexpectedStatus(404) },
  hooks: {
    onRequest(request) {
      // The main thread applies the hooks to the traffic of the baseline.
      if (!isMainThread)
        process.nextTick(() => {
          throw new Error('out of order')
        })
      return request
    },
  },
}

runTasks([FATAL_MUTANT])
