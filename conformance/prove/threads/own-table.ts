import { MUTANTS } from '../mutants/all.ts'
import { answerTasks } from './answer-tasks.ts'

// Runs as a thread of its own: see team.ts.
answerTasks(MUTANTS)
