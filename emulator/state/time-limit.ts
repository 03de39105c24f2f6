import { type Context, createContext, Script } from 'node:vm'

/** Maximum number of times that a function is run if other processes keep the machine busy. */
const MAX_RUNS = 5

const SCRIPT = new Script('run()')

let sandbox: (Context & { run?: () => void }) | undefined

/**
 * Runs a synchronous function, and terminates it after `maxMs`. Only `node:vm` can terminate a regular expression that
 * backtracks without end. Repeats the function if the process used less than half of that time on the processor,
 * because other processes kept the processor busy.
 * @param work must leave no inconsistent state, because it can be terminated at any point and repeated
 * @returns undefined if the function was terminated
 */
export function runWithTimeLimit<Result>(work: () => Result, maxMs: number): { readonly value: Result } | undefined {
  for (let run = 1; ; run += 1) {
    const before = process.cpuUsage()
    const outcome = runOnce(work, maxMs)
    if (outcome !== undefined) {
      if ('error' in outcome) throw outcome.error
      return outcome
    }
    const { user, system } = process.cpuUsage(before)
    if (run === MAX_RUNS || (user + system) / 1000 >= maxMs / 2) return undefined
  }
}

type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

function runOnce<Result>(work: () => Result, maxMs: number): Outcome<Result> | undefined {
  sandbox ??= createContext({})
  let outcome: Outcome<Result> | undefined
  sandbox.run = () => {
    try {
      outcome = { value: work() }
    } catch (error) {
      outcome = { error }
    }
  }
  try {
    SCRIPT.runInContext(sandbox, { timeout: maxMs })
  } catch {
    return undefined
  } finally {
    delete sandbox.run
  }
  return outcome
}
