import { EXIT_CODES } from '../common/exit-codes.ts'
import { serializeDocument } from '../reports/write-document.ts'

/** Time in which a command can write its document after an internal error, in milliseconds. */
const MAX_END_MS = 20_000

/** Maximum length of the message of an error, in characters. It may contain text of a target. */
const MAX_MESSAGE_CHARACTERS = 300

let hasFailed = false
let hasReported = false
const listeners = new Set<(error: Error) => void>()

/** Makes the process exit with 4, unless it exits with 1 or 2, which take precedence. */
export function failAtExit(): void {
  if (hasFailed) return
  hasFailed = true
  process.once('exit', (code) => {
    if (code !== EXIT_CODES.usage && code !== EXIT_CODES['non-conformant'])
      process.exitCode = EXIT_CODES['harness-error']
  })
}

/** Reports each error that no other code handles. The command then writes what it has and exits with 4. */
export function handleUncaughtErrors(): void {
  // The tests load the program several times in one process.
  if (!process.listeners('uncaughtException').includes(reportInternalError)) {
    process.on('uncaughtException', reportInternalError)
  }
}

/** Prints an internal error in one sentence, and ends the command. */
export function reportInternalError(thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  // The first error may cause others.
  if (!hasReported) process.stderr.write(`${describeInternalError(error)}\n`)
  hasReported = true
  failAtExit()
  for (const stop of listeners) stop(error)
  // The process may wait for something that no longer happens.
  setTimeout(() => process.exit(EXIT_CODES['harness-error']), MAX_END_MS).unref()
}

/**
 * Calls a function after an internal error, for example to end a run.
 * @returns a function that removes it
 */
export function onInternalError(stop: (error: Error) => void): () => void {
  listeners.add(stop)
  return () => listeners.delete(stop)
}

/** Describes an internal error in one line, with its place but without its stack. */
function describeInternalError({ name, message, stack = '' }: Error): string {
  const file = /\bat (?:.*[\\/])?([\w.-]+\.[jt]s:\d+):\d+\)?$/m.exec(stack)?.[1]
  const place = file === undefined ? '' : ` in ${file}`
  // Serializing escapes control characters.
  const text = serializeDocument(`${name}: ${message}`.slice(0, MAX_MESSAGE_CHARACTERS)).slice(1, -2)
  return `touchstone has an internal error${place}: ${text}. Please report it.`
}
