import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findUnusedAddress, type LocalServer, serveHttp } from '../common/testing/local-server.ts'
import { MODELS } from '../contract/facts.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { runCli, runCliInSharedProcess, withoutProgress } from './testing/run-cli.ts'

let emulator: Emulator
let files: LocalServer
let nothingUrl = ''

beforeAll(async () => {
  emulator = await startEmulator()
  files = await serveHttp((request, response) => {
    // Reads the body first. Otherwise, a client that is still sending may get a connection reset instead of the
    // response.
    request.resume().on('end', () => response.writeHead(request.method === 'GET' ? 404 : 405).end('<h1>'))
  })
  nothingUrl = await findUnusedAddress()
})

afterAll(async () => {
  await emulator.close()
  await files[Symbol.asyncDispose]()
})

/**
 * Splits a command line at spaces, and replaces placeholders with the addresses and keys of the running test servers.
 */
function filled(line: string): string[] {
  const values: Readonly<Record<string, string>> = {
    EMULATOR: emulator.url,
    FILES: files.url,
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
      'conformance --target EMULATOR --key FUNDED --no-credits-key EMPTY --limited-key LIMITED --only 5',
      0,
      'CONFORMANT',
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
      'conformance --target EMULATOR --key FUNDED --only 5',
      3,
      '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
    ],
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
    ['a static file server', 'conformance --target FILES --key FUNDED --only 1', 1, 'NON-CONFORMANT'],
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
    ['--dry-run', 'conformance --dry-run', 0, 'Upper bound for 380 checks: '],
  ])('exits with the documented code for %s', async (_name, line, exitCode, words) => {
    emulator.reset() // Otherwise, credits that one run spent would be missing in the next.
    const run = await runCliInSharedProcess(filled(line))
    expect(run.stdout).toContain(words)
    expect(withoutProgress(run.stderr)).toBe('')
    expect(run.exitCode).toBe(exitCode)
    const wantsDocument = line.startsWith('conformance') && !/--(list|dry-run|help)/.test(line)
    expect(run.document !== undefined).toBe(wantsDocument)
  })

  test.each([
    ['an unknown command', 'conformence', "Unknown command 'conformence'. Did you mean conformance?\n"],
    [
      'another key without a target',
      'conformance --limited-key sk-svc-0123456789',
      'TOUCHSTONE_KEY_LIMITED), but no target',
    ],
    [
      'a list of known failures without a target file',
      'conformance --target emulator --write-known-failures',
      '--write-known-failures needs a target file: write one with npm run init',
    ],
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
  ['knows no path', 404, 404, 'application/json', 'Both GET /v1/models and chat returned 404: is the base URL right?'],
  ['lists models in HTML', 200, 400, 'text/html', 'GET /v1/models returned text/html: is this the API?'],
])(
  'hints below the verdict that a target which %s may be another service',
  async (_name, listStatus, chatStatus, type, doubt) => {
    const list = type === 'text/html' ? '<h1>Models</h1>' : '{}'
    await using site = await serveHttp(({ method }, response) =>
      method === 'GET'
        ? response.writeHead(listStatus, { 'content-type': type }).end(list)
        : response.writeHead(chatStatus).end(),
    )
    const args = ['conformance', '--target', site.url, '--key', 'sk-svc-0123456789', '--only', '4.1/list-shape']
    const { stdout } = await runCliInSharedProcess(args)
    expect(stdout.split('\n')[1]).toBe(doubt)
    expect(stdout.split(doubt)).toHaveLength(2)
  },
)

function serveFirstTwoRequests(list: unknown, onFurtherRequest: () => void = () => undefined): Promise<LocalServer> {
  let requests = 0
  return serveHttp(({ method }, response) => {
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
  await using server = await serveFirstTwoRequests(list)
  const args = ['conformance', '--target', server.url, '--key', 'sk-svc-0123456789', '--only', '4.1']
  const run = await runCliInSharedProcess([...args, '--max-seconds', '1'])
  expect(run.stdout.split('  http')[0]).toBe(`${headline} (only 4.1; time limit reached)`)
  expect(run).toMatchObject({ exitCode, stderr: '', document: { verdict: headline.toLowerCase() } })
  const verdicts = run.document?.checks.map((check) => [check.id, check.verdict])
  expect(verdicts).toContainEqual(['4.1/list-shape', verdict])
  expect(verdicts).toContainEqual(['4.1/unknown-query', 'not-testable'])
})

test('reports a partial run after SIGINT', async () => {
  let interrupt: (() => void) | undefined
  await using server = await serveFirstTwoRequests(LIST, () => {
    interrupt?.()
    interrupt = undefined
  })
  const target = ['--target', server.url, '--key', 'sk-svc-0123456789']
  const args = ['conformance', ...target, '--only', '4.1']
  // Two signals, as after Ctrl-C in a terminal, where npm sends another one. The system merges two signals of one kind.
  const run = await runCli(args, {
    onStart: (child) => (interrupt = () => child.kill('SIGINT') && child.kill('SIGTERM')),
  })
  expect(run.exitCode).toBe(3)
  expect(run.document?.verdict).toBe('incomplete')
  expect(run.document?.checks.map(({ actual }) => actual)).toContain('The run was interrupted.')
  expect(run.stdout).toMatch(/^INCOMPLETE \(only 4\.1; interrupted\) {2}http/)
  expect(run.stderr).toBe('')
})
