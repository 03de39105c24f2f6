import { runTasks } from '../threads/run-tasks.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

export const HARMLESS_MUTANT: Mutant = {
  id: '1/harmless',
  breaks: 'nothing',
  kills: { '1/models-offered': matchUnexpectedStatus(404) },
  hooks: {},
}

runTasks([HARMLESS_MUTANT])
