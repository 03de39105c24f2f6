import { EXIT_CODES } from '../common/exit-codes.ts'
import { onInternalError } from './internal-error.ts'

/** Signals that end a command. The system sends SIGHUP when a terminal closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Signals within this time count as one, because the terminal and npm each send a signal for Ctrl-C. */
const SAME_SIGNAL_MS = 1000
/** Interval at which a command that npm started checks whether npm is still running. */
const PARENT_INTERVAL_MS = 500

let interruption: AbortController | undefined

/**
 * Handles signals until the process exits. Before the first call, a signal ends the process at once, because the
 * command has no result, child process or temporary file yet.
 * @returns an abort signal. The first signal aborts it, so that the command ends with its results so far. Another signal
 * ends the process at once, unless it follows within {@link SAME_SIGNAL_MS}. An internal error aborts it, too, and is its
 * reason.
 */
export function handleSignals(): AbortSignal {
  if (interruption !== undefined) return interruption.signal
  const controller = new AbortController()
  interruption = controller
  let endsProcess = false
  const interrupt = (): void => {
    if (endsProcess) process.exit(EXIT_CODES.killed)
    if (controller.signal.aborted) return
    controller.abort()
    // A signal that arrived while the process was busy is handled before `setImmediate` calls its function.
    setTimeout(() => setImmediate(() => (endsProcess = true)), SAME_SIGNAL_MS).unref()
  }
  for (const name of SIGNALS) process.on(name, interrupt)
  onInternalError((error) => controller.abort(error))
  return controller.signal
}

/** Returns whether a signal or an internal error has interrupted the command. */
export function isInterrupted(): boolean {
  return interruption?.signal.aborted === true
}

/**
 * Sends this process a SIGHUP when npm, which started it, has ended. npm does not forward this signal, and cannot forward
 * SIGKILL.
 */
export function followNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGHUP')
  }, PARENT_INTERVAL_MS)
  timer.unref()
}
