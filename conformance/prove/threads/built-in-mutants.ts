import { MUTANTS } from '../../sections/mutants.ts'
import { runTasks } from './run-tasks.ts'

// Entry point of a worker thread: see worker-pool.ts.
runTasks(MUTANTS)
