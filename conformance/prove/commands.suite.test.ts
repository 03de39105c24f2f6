import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Mutant } from '../mutation/mutant.ts'
import { addStreamTiming } from '../mutation/change/stream-timing.ts'
import { runConformance } from '../run-conformance.ts'
import { MUTANTS } from '../sections/mutants.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from '../targets/embedded-emulator.ts'
import { AGENT_FIXTURES } from './agent-fixtures.ts'
import { startProxy } from './proxy.ts'

/** Every tenth mutant, or all of them in the nightly tier. */
const TESTED = MUTANTS.filter((_, index) => process.env['TOUCHSTONE_LONG'] === '1' || index % 10 === 1)

/** The suite waits for the recovery of a rate limit before it sends the last request. */
const TIMEOUT_MS = 180_000

interface Command {
  readonly entry: CheckEntry
  readonly output: string
}

/** Runs the checks that must detect a mutant, and then the command of each finding while the mutant still runs. */
async function runCommands({ hooks, emulator: options, fundedKey, timeoutMs, kills }: Mutant): Promise<Command[]> {
  await using emulator = await startEmulator({
    answerTokens: 'fill',
    fixtures: AGENT_FIXTURES,
    ...options,
    options: { ...EMBEDDED_EMULATOR.options, ...options?.options },
  })
  const proxy = await startProxy(emulator.url, addStreamTiming(hooks))
  const { noCredits, limited, small } = emulator.keys
  const funded = fundedKey ?? emulator.keys.funded
  const { document } = await runConformance({
    url: proxy.url,
    keys: { funded, noCredits, limited, small, revoked: REVOKED_KEY },
    declarations: EMBEDDED_EMULATOR.declarations,
    only: Object.keys(kills),
    sdk: true,
    agents: true,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const env = {
    ...process.env,
    TOUCHSTONE_KEY: funded,
    TOUCHSTONE_KEY_NO_CREDITS: noCredits,
    TOUCHSTONE_KEY_LIMITED: limited,
    TOUCHSTONE_KEY_SMALL: small,
    TOUCHSTONE_KEY_REVOKED: REVOKED_KEY,
  }
  const commands: Command[] = []
  for (const entry of document.checks) {
    if (entry.reproduce === undefined || !['fail', 'warn'].includes(entry.verdict)) continue
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', entry.reproduce], {
      env,
      encoding: 'latin1',
      maxBuffer: 1e8,
    }).catch((error: unknown) => ({ stdout: String(Reflect.get(Object(error), 'stdout')), stderr: String(error) }))
    commands.push({ entry, output: stdout + stderr })
  }
  await proxy.close()
  return commands
}

/** Returns what the output of a command must contain, so that its reader sees the finding. */
function listClaims({ code, params }: CheckEntry): readonly string[] {
  const status: unknown = Reflect.get(params, 'actualStatus')
  const mediaType: unknown = Reflect.get(params, 'actualMediaType')
  if (status === 0 && Reflect.get(params, 'error') === 'timeout') return ['Operation timed out']
  return [
    `HTTP/1.1 ${typeof status === 'number' && status > 0 ? status : ''}`,
    ...(code === 'unexpected-media-type' && typeof mediaType === 'string' ? [mediaType] : []),
  ]
}

test.each(TESTED.map((mutant) => [mutant.id, mutant] as const))(
  'the command of each finding shows the mutant %s',
  async (_id, mutant) => {
    for (const { entry, output } of await runCommands(mutant)) {
      for (const claim of listClaims(entry))
        expect({ id: entry.id, command: entry.reproduce, output }).toMatchObject({
          output: expect.stringContaining(claim),
        })
    }
  },
  TIMEOUT_MS,
)
