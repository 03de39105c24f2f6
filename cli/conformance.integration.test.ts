import { createServer, type RequestListener, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MODELS } from '../contract/facts.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { type CliResult, runCli, runCliInSharedProcess } from './testing/run-cli.ts'

let emulator: Emulator
let files: Server
let nothingUrl = ''

function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function addressOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

function end(server: Server): Promise<unknown> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}

beforeAll(async () => {
  emulator = await startEmulator()
  files = await listen((request, response) => {
    // Reads the body first. Otherwise, a client that is still sending may get a connection reset instead of the
    // response.
    request.resume().on('end', () => response.writeHead(request.method === 'GET' ? 404 : 501).end('<h1>'))
  })
  const closed = await listen(() => undefined)
  nothingUrl = addressOf(closed)
  await end(closed)
})

afterAll(async () => {
  await emulator.close()
  await end(files)
})

/**
 * Splits a command line at spaces, and replaces placeholders with the addresses and keys of the running test servers.
 */
function filled(line: string): string[] {
  const values: Readonly<Record<string, string>> = {
    EMULATOR: emulator.url,
    FILES: addressOf(files),
    NOTHING: nothingUrl,
    FUNDED: emulator.keys.funded,
    EMPTY: emulator.keys.noCredits,
    LIMITED: emulator.keys.limited,
    SMALL: emulator.keys.small,
  }
  return line === '' ? [] : line.split(' ').map((word) => values[word] ?? word)
}

describe('exit codes', () => {
  test.each([
    [
      'a running emulator with all keys',
      'conformance --target EMULATOR --key FUNDED --no-credits-key EMPTY --limited-key LIMITED',
      0,
      'CONFORMANT',
    ],
    [
      'the built-in emulator by name',
      'conformance --target emulator --only 5/key-prefix',
      0,
      '(the emulator, started for this run)',
    ],
    [
      'the built-in emulator by name, with a key',
      'conformance --target emulator --key FUNDED --only 5/key-prefix',
      0,
      '(the emulator, started for this run)',
    ],
    [
      'a run with --only and --strict',
      'conformance --only 5/key-prefix --strict',
      0,
      'CONFORMANT (strict; only 5/key-prefix)',
    ],
    [
      'a run with only the funded key',
      'conformance --target EMULATOR --key FUNDED',
      3,
      '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
    ],
    ['a run without keys', 'conformance --target EMULATOR', 3, '--key or TOUCHSTONE_KEY'],
    [
      'an incomplete run with --accept-incomplete',
      'conformance --target EMULATOR --key FUNDED --only 5 --accept-incomplete',
      0,
      'Accepted although',
    ],
    [
      'an invalid key',
      'conformance --target EMULATOR --key sk-svc-who-is-this',
      3,
      'The target rejected the funded key',
    ],
    ['a key without credits', 'conformance --target EMULATOR --key EMPTY', 3, 'too few credits'],
    [
      'a request limit that is too low',
      'conformance --target EMULATOR --key FUNDED --only 4.1 --max-requests 2',
      3,
      'its limit of 2 requests. Increase --max-requests',
    ],
    ['an unreachable target', 'conformance --target NOTHING --key FUNDED', 3, 'connection refused'],
    [
      'an unreachable target with --accept-incomplete',
      'conformance --target NOTHING --key FUNDED --accept-incomplete',
      3,
      'connection refused',
    ],
    ['a static file server', 'conformance --target FILES --key FUNDED', 1, 'NON-CONFORMANT'],
    [
      'a check with a client SDK and --sdk',
      'conformance --target EMULATOR --key FUNDED --only 1/sdk-list --sdk',
      0,
      'CONFORMANT (only 1/sdk-list)',
    ],
    [
      'a check with a client SDK without --sdk',
      'conformance --target EMULATOR --key FUNDED --only 1/sdk-list',
      3,
      'INCOMPLETE',
    ],
    [
      'a key with few credits',
      'conformance --target EMULATOR --key FUNDED --small-key SMALL --small-balance 1 --only 5/concurrent-spending',
      0,
      'CONFORMANT (only 5/concurrent-spending)',
    ],
    [
      'a declared balance below the actual balance',
      'conformance --target EMULATOR --key FUNDED --small-key SMALL --small-balance 0.0001 --only 5/concurrent-spending',
      1,
      'Parallel chats spend more credits than the account has',
    ],
    [
      'a balance without the small key',
      'conformance --target EMULATOR --key FUNDED --small-balance 1 --only 5/concurrent-spending',
      3,
      '--small-key or TOUCHSTONE_KEY_SMALL',
    ],
    ['--list', 'conformance --list --only 5', 0, '5/no-header-chat'],
    ['--dry-run', 'conformance --dry-run', 0, 'which cost at most'],
    ['--help', 'conformance --help', 0, 'Exit codes:'],
    ['--version', '--version', 0, '.'],
  ])('exits with the documented code for %s', async (_name, line, exitCode, words) => {
    const run = await runCliInSharedProcess(filled(line))
    expect(run.stdout).toContain(words)
    expect(withoutProgress(run.stderr)).toBe('')
    expect(run.exitCode).toBe(exitCode)
    const wantsDocument = line.startsWith('conformance') && !/--(list|dry-run|help)/.test(line)
    expect(run.document !== undefined).toBe(wantsDocument)
  })

  test.each([
    ['an unknown flag', 'conformance --targt x', "Unknown option '--targt'. Did you mean --target?\n"],
    ['an unknown command', 'conformence', "Unknown command 'conformence'. Did you mean conformance?\n"],
    [
      'a key without a target',
      'conformance --key sk-svc-0123456789',
      'A key was given (--key or TOUCHSTONE_KEY), but no target. Set --target URL or TOUCHSTONE_TARGET, or use --target emulator',
    ],
    [
      'another key without a target',
      'conformance --limited-key sk-svc-0123456789',
      'TOUCHSTONE_KEY_LIMITED), but no target',
    ],
    [
      'an empty target',
      'conformance --target= --key sk-svc-0123456789',
      '--target is empty: set it to the address of the target',
    ],
    [
      'the built-in emulator and a file about another target',
      'conformance --target emulator --target-file gateway.json',
      '--target emulator cannot be combined with --target-file',
    ],
    ['a text instead of a number', 'conformance --timeout-ms soon', 'It must be a whole number of at least 1.\n'],
    ['a concurrency of 0', 'conformance --concurrency 0', 'It must be a whole number of at least 1.\n'],
    ['an invalid target address', 'conformance --target example', '--target is not an http or https address: write'],
    [
      'an unknown check',
      'conformance --only 99',
      'No check has the ID or section "99". Use a section (4.2), its name (chat), or an ID (1/models-offered); --list shows all checks.',
    ],
    [
      'a missing certificate file',
      'conformance --target EMULATOR --ca nowhere.pem',
      '--ca nowhere.pem cannot be read (ENOENT)',
    ],
    [
      'an output directory that cannot be created',
      'conformance --out /dev/null/x',
      '--out /dev/null/x cannot be written',
    ],
    [
      'an address without --target',
      'conformance http://127.0.0.1:9',
      'Too many arguments. Did you mean --target http://127.0.0.1:9?\n',
    ],
    ['a key as an argument', 'conformance sk-svc-0123456789', 'Too many arguments'],
    ['a key after a misspelled option', 'conformance --kye=sk-svc-0123456789', "Unknown option '--kye=(hidden)'"],
  ])('exits with 2, prints one line and writes no document for %s', async (_name, line, words) => {
    const run = await runCliInSharedProcess(filled(line))
    expect(run.stderr).toContain(words)
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
    expect(run.stderr + run.stdout).not.toContain('0123456789')
    expect(run).toMatchObject({ exitCode: 2, stdout: '', document: undefined })
  })
})

test.each([
  ['knows no path', 404, 404, 'application/json', 'Both models and chat returned 404: is the base URL right?'],
  ['lists models in HTML', 200, 400, 'text/html', 'GET /v1/models returned text/html: is this the API?'],
])(
  'hints below the verdict that a target which %s may be another service',
  async (_name, listStatus, chatStatus, type, doubt) => {
    const list = type === 'text/html' ? '<h1>Models</h1>' : '{}'
    const site = await listen(({ method }, response) =>
      method === 'GET'
        ? response.writeHead(listStatus, { 'content-type': type }).end(list)
        : response.writeHead(chatStatus).end(),
    )
    const args = ['conformance', '--target', addressOf(site), '--key', 'sk-svc-0123456789', '--only', '4.1/list-shape']
    const { stdout } = await runCliInSharedProcess(args)
    await end(site)
    expect(stdout.split('\n')[1]).toBe(doubt)
    expect(stdout.split(doubt)).toHaveLength(2)
  },
)

const withoutProgress = (text: string): string => text.replaceAll(/^(The run takes|\d+ of \d+ checks) .*\n?/gm, '')

function serveFirstTwoRequests(list: unknown, onFurtherRequest: () => void = () => undefined): Promise<Server> {
  let requests = 0
  return listen(({ method }, response) => {
    requests += 1
    if (requests <= 2) response.end(JSON.stringify(method === 'GET' ? list : {}))
    else onFurtherRequest()
  })
}

const LIST = { object: 'list', data: MODELS }

test.each([
  ['', LIST, 'INCOMPLETE', 3, 'pass'],
  [', with the failure until then', {}, 'NON-CONFORMANT', 1, 'fail'],
])('reports a partial run after --max-seconds%s', async (_name, list, headline, exitCode, verdict) => {
  const server = await serveFirstTwoRequests(list)
  const args = ['conformance', '--target', addressOf(server), '--key', 'sk-svc-0123456789', '--only', '4.1']
  const run = await runCliInSharedProcess([...args, '--max-seconds', '1'])
  await end(server)
  expect(run.stdout.split('  http')[0]).toBe(`${headline} (only 4.1; time limit reached)`)
  expect(run).toMatchObject({ exitCode, stderr: '', document: { verdict: headline.toLowerCase() } })
  const verdicts = run.document?.checks.map((check) => [check.id, check.verdict])
  expect(verdicts).toContainEqual(['4.1/list-shape', verdict])
  expect(verdicts).toContainEqual(['4.1/unknown-query', 'not-testable'])
})

test('prefers a flag to the environment variable', async () => {
  const env = { TOUCHSTONE_TARGET: nothingUrl, TOUCHSTONE_KEY: emulator.keys.funded }
  const byEnvironment = await runCli(['conformance', '--only', '4.1'], { env })
  expect(byEnvironment.document?.target.url).toBe(nothingUrl)
  const byFlag = await runCli(['conformance', '--only', '4.1', '--target', emulator.url], { env })
  expect(byFlag).toMatchObject({ exitCode: 0, document: { target: { url: emulator.url } } })
})

test('never prints or writes a key in a conformance run', async () => {
  const funded = emulator.createAccount({ credits: '1000' }).key
  const run = await runCli(['conformance', '--target', emulator.url, '--key', funded, '--only', '5'])
  const everything = run.stdout + run.stderr + JSON.stringify(run.document)
  expect(run.document?.summary.pass).toBeGreaterThan(20)
  expect(everything).not.toContain(funded)
  expect(everything).not.toContain(funded.replace('sk-svc-', ''))
  expect(everything).toContain('$TOUCHSTONE_KEY')
})

describe('the runners vitest and direct', () => {
  const VARYING = 'durationMs startedAt startedAtMs atMs date x-request-id p50 p90 p99 max'.split(' ')

  /** Replaces the values that differ between runs, such as times, request IDs and ports. */
  function removeTimes(value: unknown): unknown {
    const text = JSON.stringify(value, (key, part: unknown) => (VARYING.includes(key) ? 0 : part))
    const parsed: unknown = JSON.parse(
      text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').replaceAll(/(created\W+)\d+/g, '$10'),
    )
    return parsed
  }

  test('both runners write the same document', async () => {
    // Checks whose outcomes contain durations or depend on them.
    const timed = ['4.2/stream-progress', '4.2/stream-time-out', '4.2/left-stream', '8/left-charge']
    const args = ['conformance', ...['7', ...timed].flatMap((id) => ['--skip', id])]
    const [direct, vitest] = [await runCliInSharedProcess(args), await runCli([...args, '--runner', 'vitest'])]
    expect(withoutProgress(vitest.stderr)).toBe('')
    expect(vitest.exitCode).toBe(0)
    expect(direct.document?.checks.length).toBeGreaterThan(100)
    expect(removeTimes(vitest.document)).toEqual(removeTimes(direct.document))
  })

  test('both runners find the same failures and print the same text', async () => {
    const target = ['--target', addressOf(files), '--key', 'sk-svc-0123456789']
    const args = ['conformance', ...target, '--skip', '4.2/stream-progress']
    const [direct, vitest] = [await runCliInSharedProcess(args), await runCli([...args, '--runner', 'vitest'])]
    expect(vitest.exitCode).toBe(1)
    expect(withoutProgress(vitest.stderr)).toBe('')
    expect(vitest.document?.summary).toEqual(direct.document?.summary)
    // Ignores the evidence, because each run has its own random texts.
    const verdictsOf = ({ document }: CliResult): unknown => document?.checks.map(({ id, verdict }) => [id, verdict])
    expect(verdictsOf(vitest)).toEqual(verdictsOf(direct))
    expect(vitest.document?.spent).toEqual(direct.document?.spent)
    const lines = (text: string): string[] => text.split('\n').filter((line) => !/ checks in |curl/.test(line))
    expect(lines(vitest.stdout)).toEqual(lines(direct.stdout))
  })

  test.each(['direct', 'vitest'])('both runners report a partial run after SIGINT: %s', async (runner) => {
    let signal: (() => void) | undefined
    const server = await serveFirstTwoRequests(LIST, () => {
      if (signal !== undefined) {
        signal()
        setTimeout(signal, 20)
      }
      signal = undefined
    })
    const target = ['--target', addressOf(server), '--key', 'sk-svc-0123456789']
    const args = ['conformance', ...target, '--only', '4.1', '--runner', runner]
    const run = await runCli(args, { onStart: (child) => (signal = () => child.kill('SIGINT')) })
    await end(server)
    expect(run.exitCode).toBe(3)
    expect(run.document?.verdict).toBe('incomplete')
    expect(run.document?.checks.map(({ actual }) => actual)).toContain('The run was interrupted.')
    expect(run.stdout).toMatch(/^INCOMPLETE \(only 4\.1; interrupted\) {2}http/)
    expect(run.stderr).toBe('')
  })
})
