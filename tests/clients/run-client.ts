import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createFormMessage, FORM_TEXT, FORMS, SCENARIO_EMULATOR, SLOW_MODEL } from './scenarios.ts'

export interface ClientCommand {
  readonly command: string
  readonly arguments: readonly string[]
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Results of a client program, and what the emulator recorded about its requests. */
export interface ClientResult {
  /** Result of each scenario that the program runs, keyed by scenario ID. */
  readonly results: Readonly<Record<string, unknown>>
  /** Names of the forms in which the client did not read the text of the stream. */
  readonly unreadForms: readonly string[]
  /** Whether the client disconnected before the end of the response, for each request to the slow model. */
  readonly aborted: readonly boolean[]
  /** Whether the ledger balances for every account. */
  readonly isLedgerExact: boolean
}

/** Timeout for a client program. Some Python frameworks take ten seconds to load. */
const MAX_RUN_MS = 180_000
const MAX_ERROR_CHARACTERS = 4_000

/**
 * Starts an emulator, runs a client program against it, and returns the results.
 * @throws Error with the program's error output if the last line of its output is not a JSON object
 */
export async function runClient(client: ClientCommand): Promise<ClientResult> {
  await using emulator = await startEmulator(SCENARIO_EMULATOR)
  const { stdout, stderr } = await runProgram(client, {
    TOUCHSTONE_URL: emulator.url,
    TOUCHSTONE_KEY: emulator.keys.funded,
    TOUCHSTONE_KEY_NO_CREDITS: emulator.keys.noCredits,
    TOUCHSTONE_FORMS: JSON.stringify(FORMS.map(({ name }) => createFormMessage(name))),
  })
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`${client.command} printed no result: ${stdout}\n${stderr}`)
  // The casts are safe: client programs print an object, and the control API returns these fields.
  const { forms, ...results } = JSON.parse(line) as Readonly<Record<string, unknown>> & { readonly forms: FormResults }
  const unreadForms = FORMS.map(({ name }) => name).filter((name) => forms[createFormMessage(name)] !== FORM_TEXT)
  const get = async (path: string): Promise<unknown> => (await fetch(`${emulator.url}/__emulator/${path}`)).json()
  const { entries } = (await get('request-log?operation=chat&limit=1000')) as { readonly entries: readonly LogEntry[] }
  const { holds } = (await get('invariant')) as { readonly holds: boolean }
  const aborted = entries.filter(({ model }) => model === SLOW_MODEL).map(({ clientLeft }) => clientLeft)
  return { results, unreadForms, aborted, isLedgerExact: holds }
}

/** Text of the stream by message, or an error. */
type FormResults = Readonly<Record<string, unknown>>

interface LogEntry {
  readonly model: string | null
  readonly clientLeft: boolean
}

async function runProgram(
  { command, arguments: list, directory, environment }: ClientCommand,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, ...environment, ...settings }
  const child = spawn(command, list, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString()).slice(-MAX_ERROR_CHARACTERS)))
  await once(child, 'close')
  clearTimeout(timer)
  return { stdout, stderr }
}
