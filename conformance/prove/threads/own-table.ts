import { MUTANTS } from '../mutants/all.ts'
import { runTasks } from './run-tasks.ts'

// Runs as a thread of its own: see team.ts.
runTasks(MUTANTS)
