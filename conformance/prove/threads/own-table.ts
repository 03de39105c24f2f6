import { MUTANTS } from '../mutants/all.ts'
import { runTasks } from './run-tasks.ts'

// Runs in a worker thread: see team.ts.
runTasks(MUTANTS)
