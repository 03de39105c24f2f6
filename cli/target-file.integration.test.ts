import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBody, serveHttp } from '../common/testing/local-server.ts'
import { fingerprintSecret } from '../common/secrets/fingerprint.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { type CliResult, runCliInSharedProcess } from './testing/run-cli.ts'

let emulator: Emulator
let directory = ''

beforeAll(async () => {
  emulator = await startEmulator()
  directory = await mkdtemp(join(tmpdir(), 'touchstone-target-'))
})

afterAll(async () => {
  await emulator.close()
  await rm(directory, { recursive: true })
})

/** Runs `conformance` with flags and a target file. The environment contains the keys that the file names. */
async function runOn(
  file: object | string,
  flags: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const path = join(directory, 'gateway.json')
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file))
  const words = flags.split(' ').filter((word) => word !== '')
  const args = words.map((word) => (word === 'FILE' ? path : word === 'URL' ? emulator.url : word))
  const { funded, noCredits, limited } = emulator.keys
  const keys = { GATEWAY_KEY: funded, GATEWAY_KEY_NO_CREDITS: noCredits, GATEWAY_KEY_LIMITED: limited }
  return runCliInSharedProcess(['conformance', ...args], { env: { ...keys, ...env } })
}

const KEYS = { funded: 'GATEWAY_KEY', 'no-credits': 'GATEWAY_KEY_NO_CREDITS', limited: 'GATEWAY_KEY_LIMITED' }
const fileWith = (more: object) => ({ url: emulator.url, keys: KEYS, ...more })
const listed = (id: string) => [{ id, reason: 'so it is' }]

/** Checks of the declarations in the example. */
const DECLARED =
  '1/images-offered,1/speech-offered,2.3/role-developer,2.4/url-key,4/wrong-method-chat,4.2/max-tokens-zero,4.2/stream-usage-asked'

test('the target file example of the README runs as shown', async () => {
  const readme = await readFile(new URL('../conformance/targets/README.md', import.meta.url), 'utf8')
  const example = /```json\n(.*?)```/s.exec(readme)?.[1] ?? ''
  const run = await runOn(example.replace('http://127.0.0.1:8099', emulator.url), `--target FILE --only ${DECLARED}`)
  // On a busy machine, the command also prints the progress of the run.
  expect(run.stderr.replaceAll(/^(The run takes|\d+ of \d+ checks) .*\n?/gm, '')).toBe('')
  expect(run.exitCode).toBe(0)
  expect(run.document?.target.models).toMatchObject({ images: 'vendorc-4o', speech: 'vendorc-4o-mini' })
  const declared = run.document?.checks.filter((check) => check.declared !== undefined)
  expect(declared?.map(({ id, verdict, declared: words }) => [id, verdict, words])).toEqual([
    ['2.3/role-developer', 'pass', 'accepted'],
    ['2.4/url-key', 'pass', 'accepted'],
    ['4/wrong-method-chat', 'pass', 'rejected with 404'],
    ['4.2/max-tokens-zero', 'pass', 'rejected'],
    ['4.2/stream-usage-asked', 'pass', 'without-choices'],
  ])
  expect(run.document?.budgets?.map(({ metric, n, verdict }) => [metric, n, verdict])).toEqual([
    ['chat-stream.ttft', 11, 'within'],
  ])
})

describe('exit codes', () => {
  const WRONG = { declares: { '4/wrong-method-chat': { rejected: 405 } } }
  const ONLY = '--target FILE --only 4/wrong-method-chat'

  test.each([
    ['a behaviour that is as declared', { declares: { '4/wrong-method-chat': { rejected: 404 } } }, ONLY, 0, '1 pass'],
    ['a behaviour that is not as declared', WRONG, ONLY, 1, 'but the target file declares: rejected with 405'],
    [
      'a known failure',
      { ...WRONG, knownFailures: listed('4/wrong-method-chat') },
      ONLY,
      0,
      'CONFORMANT (only 4/wrong-method-chat; 1 known failure)',
    ],
    [
      'a known failure that passes',
      { knownFailures: listed('4/wrong-method-chat') },
      ONLY,
      0,
      'CONFORMANT (only 4/wrong-method-chat; 1 known failure repaired)',
    ],
    [
      'a known failure that passes, with --fail-on-repaired',
      { knownFailures: listed('4') },
      `${ONLY} --fail-on-repaired`,
      1,
      '1 known failure no longer fails: remove 4 from the list',
    ],
    [
      'a known failure of a check that is not selected',
      { knownFailures: listed('4/head-models') },
      ONLY,
      0,
      'CONFORMANT',
    ],
    [
      'a missing no-credits key whose checks are accepted as not testable',
      { keys: { funded: 'GATEWAY_KEY' }, acceptedNotTestable: listed('5/insufficient-credits') },
      '--target FILE --only 5',
      0,
      'accepted as not testable',
    ],
    ['a met latency budget', { budgets: ['models.total.max<=30s'], samples: 2 }, ONLY, 0, 'within'],
    [
      'a budget with too few samples',
      { budgets: ['models.total.p90<=30s'] },
      `${ONLY} --samples 3`,
      3,
      'insufficient samples',
    ],
    [
      'a budget with too few samples and --accept-incomplete',
      { budgets: ['models.total.p90<=30s'] },
      `${ONLY} --samples 3 --accept-incomplete`,
      0,
      'insuff',
    ],
    [
      'a flag that replaces the budgets of the file',
      { budgets: ['models.total.max<=0ms'] },
      `${ONLY} --budget models.total.max<=30s --samples 1`,
      0,
      'models.total.max <= 30000 ms',
    ],
    ['a missing declaration that a check requires', {}, '--target FILE --only 2.2/auto', 3, 'INCOMPLETE'],
  ])('exits with the documented code for %s', async (_name, more, flags, exitCode, words) => {
    const run = await runOn(fileWith(more), flags)
    expect(run.stdout).toContain(words)
    expect(run.stderr).toBe('')
    expect(run.exitCode).toBe(exitCode)
  })

  test('the list that --write-known-failures adds to the target file makes the next run conformant', async () => {
    const before = JSON.stringify(fileWith(WRONG), undefined, 2)
    const failed = await runOn(before, `${ONLY} --write-known-failures`)
    expect(failed.exitCode).toBe(1)
    expect(failed.stdout).toMatch(/gateway\.json now has 1 known failure\./)
    const after = await readFile(join(directory, 'gateway.json'), 'utf8')
    expect(after.startsWith(before.slice(0, -2))).toBe(true)
    const again = await runOn(after, ONLY)
    expect(again.exitCode).toBe(0)
    const [known] = again.document?.checks ?? []
    expect(known?.knownFailure).toBe(failed.document?.causes[0]?.title)
  })

  test('a strict run with a written list fails only for a warning that the list does not contain', async () => {
    // The media type of speech is a warning, and the status of validation errors is a declared difference.
    await using server = await serveHttp(async (request, response) => {
      const { method = 'GET', url = '', headers } = request
      const { authorization = '', 'content-type': type = 'application/json' } = headers
      const body = method === 'GET' ? null : String(await readBody(request))
      const forwarded = await fetch(emulator.url + url, {
        method,
        body,
        headers: { authorization, 'content-type': type },
      })
      const status = forwarded.status === 400 ? 422 : forwarded.status
      const mediaType = url.endsWith('/speech') && status === 200 ? 'audio/mp3' : 'application/json'
      response.writeHead(status, { 'content-type': mediaType }).end(Buffer.from(await forwarded.arrayBuffer()))
    })
    const file = { ...fileWith({ differences: { validationErrors: { value: 422, why: 'so' } } }), url: server.url }
    const flags = '--target FILE --strict --only 4.2/temperature-above,4.5/media-type'
    const failed = await runOn(file, `${flags} --write-known-failures`)
    expect([failed.exitCode, failed.document?.summary]).toMatchObject([1, { warn: 1, declared: 1 }])
    const written = JSON.parse(await readFile(join(directory, 'gateway.json'), 'utf8'))
    const known = await runOn(written, flags)
    expect([known.exitCode, known.stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringContaining('CONFORMANT WITH 1 DECLARED DIFFERENCE (strict; only'),
    ])
    expect(known.stdout).toContain('; 1 known failure)')
    const items: readonly { readonly id: string }[] = written.knownFailures
    expect(items.map(({ id }) => id)).toEqual(['4.5/media-type', 'validationErrors'])
    const warned = await runOn({ ...file, knownFailures: items.slice(1) }, flags)
    expect(warned.exitCode).toBe(1)
    expect(warned.stdout).toContain('Causes of the warnings (1)')
  })

  test.each([
    ['an unknown field', { urll: 'x' }, '--target FILE', 'gateway.json: line 1: the field urll is unknown'],
    [
      'an environment variable that is not set',
      { keys: { funded: 'NOWHERE' } },
      '--target FILE',
      'the environment variable NOWHERE',
    ],
    [
      'a key instead of the name of a variable',
      { keys: { funded: 'sk-svc-0123456789' } },
      '--target FILE',
      'never a key itself',
    ],
    ['a file without url', { url: undefined }, '--target FILE', 'contains no url. Add one, or set TOUCHSTONE_TARGET'],
    ['a missing file', {}, '--target nowhere.json', '--target nowhere.json cannot be read'],
    [
      'a declared value for a check of a stated sentence',
      { declares: { '5/key-prefix': 401 } },
      '--target FILE',
      'which is not an observation',
    ],
    [
      'an accepted check that does not exist',
      { acceptedNotTestable: listed('99') },
      '--target FILE',
      'gateway.json: No check has the ID or section "99"',
    ],
    ['an invalid budget in the file', { budgets: ['chat.p90'] }, '--target FILE', 'gateway.json: budgets "chat.p90"'],
    [
      'a header that the suite sets',
      { headers: { host: 'x' } },
      '--target FILE',
      'gateway.json: headers cannot set host',
    ],
    [
      'a known failure that is listed twice',
      { knownFailures: [...listed('5'), ...listed('5')] },
      '--target FILE',
      '5 is listed twice',
    ],
  ])('exits with 2 and prints one line for %s', async (_name, more, flags, words) => {
    const run = await runOn(fileWith(more), flags)
    expect(run.stderr).toContain(words)
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
    expect(run.stderr).not.toContain('0123456789')
    expect(run).toMatchObject({ exitCode: 2, stdout: '', document: undefined })
  })
})

test('the environment contains the address of a file without url, and flags override the file', async () => {
  const file = {
    keys: { funded: 'NOWHERE' },
    headers: { 'x-a': 'file', 'x-b': 'file' },
  }
  const env = { TOUCHSTONE_KEY: emulator.keys.funded, TOUCHSTONE_TARGET: emulator.url }
  const run = await runOn(file, '--target FILE --only 4.1 --header x-b:flag', env)
  expect(run.exitCode).toBe(0)
  expect(run.document?.target).toMatchObject({
    url: emulator.url,
    keys: { funded: fingerprintSecret(emulator.keys.funded) },
  })
})

test('the variable of a key in the target file overrides the general variable, and a flag overrides both', async () => {
  const file = { url: emulator.url, keys: { funded: 'OWN_KEY' } }
  const env = { TOUCHSTONE_KEY: 'sk-svc-other-service', OWN_KEY: emulator.keys.funded }
  const byFile = await runOn(file, '--target FILE --only 4.1', env)
  expect(byFile.document?.target.keys).toEqual({ funded: fingerprintSecret(emulator.keys.funded) })
  const byFlag = await runOn(file, '--target FILE --only 4.1 --key sk-svc-given-as-a-flag', env)
  expect(byFlag.document?.target.keys).toEqual({ funded: fingerprintSecret('sk-svc-given-as-a-flag') })
})

describe('--json', () => {
  test.each([
    ['a run', '--target FILE --only 4.1', { kind: 'conformance', verdict: 'conformant' }],
    [
      '--list',
      '--target FILE --only 4.1/unknown-query --list',
      { checks: [{ id: '4.1/unknown-query', level: 'unspecified' }] },
    ],
    ['--dry-run', '--target FILE --only 4.1/unknown-query --dry-run', { checks: 1, requests: 17 }],
  ])('--json prints only a document for %s', async (_name, flags, part) => {
    const run = await runOn(fileWith({}), `${flags} --json`)
    const printed: unknown = JSON.parse(run.stdout)
    expect(printed).toMatchObject(part)
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    if (run.document !== undefined) expect(printed).toEqual(run.document)
  })
})

test('the estimate includes latency samples, and a run sends no more requests', async () => {
  const flags =
    '--target FILE --only 4.1/unknown-query --budget speech.total.max<=60s --budget chat-stream.total.p50<=60s'
  const file = fileWith({ models: { speech: 'vendorc-4o' } })
  const { stdout } = await runOn(file, `${flags} --dry-run`)
  const [, requests, credits] = /Upper bound for \d+ checks?: (\d+) requests and ([\d.]+) credits/.exec(stdout) ?? []
  const { document } = await runOn(file, flags)
  // The run sends 27 requests: two before the check, one for the check, two control requests, and eleven for each of two
  // budgets. The estimate adds up to eight requests that search the model list for a different model that serves chat.
  expect([Number(requests), document?.spent.requests]).toEqual([39, 27])
  expect(Number(credits)).toBeGreaterThanOrEqual(document?.spent.creditsUpperBound ?? Number.POSITIVE_INFINITY)
})

test('sends no key of the environment to a target that a file declares to have no keys', async () => {
  const received = new Set<string | undefined>()
  await using server = await serveHttp(({ headers }, response) => {
    received.add(headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  })
  const authentication = { value: 'none', why: 'a private network' }
  const file = { url: server.url, differences: { authentication } }
  const key = 'sk-svc-of-another-service'
  await runOn(file, '--target FILE --only 5/valid-key-models', { TOUCHSTONE_KEY: key })
  expect([received.has(undefined), received.has(`Bearer ${key}`)]).toEqual([true, false])
  await runOn(file, `--target FILE --only 5/valid-key-models --key ${key}`)
  expect(received).toContain(`Bearer ${key}`)
})
