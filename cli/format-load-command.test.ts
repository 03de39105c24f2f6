import { expect, test } from 'vitest'
import { fingerprintSecret } from '../common/secrets/fingerprint.ts'
import { formatLoadCommand } from './format-load-command.ts'

const KEY = 'sk-svc-0123456789abcdefWXYZ'
const SHOWN = fingerprintSecret(KEY)

test('formats the command with the seed and without options that have their default', () => {
  const given = {
    scenario: 'chat-stream',
    profile: 'smoke',
    maxTokens: 64,
    calibration: true,
  } as const
  expect(formatLoadCommand(given, [])).toBe('npm run load -- --seed 1')
  expect(formatLoadCommand({ seed: 7, rate: 20 }, [], 'file:///app/dist/cli/a.js')).toBe(
    'npx --no touchstone load --rate 20 --seed 7',
  )
})

test('replaces each key by its environment variable', () => {
  const keys = { key: KEY, limitedKey: `${KEY}1`, smallKey: 'short' }
  expect(formatLoadCommand(keys, [])).toBe(
    'npm run load -- --key "$TOUCHSTONE_KEY" --limited-key "$TOUCHSTONE_KEY_LIMITED" --small-key "$TOUCHSTONE_KEY_SMALL" --seed 1',
  )
})

test('shows no key, password or variable of k6 in another value', () => {
  const command = formatLoadCommand(
    {
      key: KEY,
      upstreamKey: 'sk-svc-of-the-upstream',
      target: 'http://user:p@ssword1@127.0.0.1:1/v1?code=hidden-5',
      trace: `/tmp/${KEY}.jsonl`,
      promptFile: `a.${encodeURIComponent(KEY)}`,
    },
    [
      '-e',
      'TOKEN=hidden-1',
      '--env=OTHER=hidden-2',
      '-eX=hidden-3',
      '--tag',
      `key=${KEY}`,
      '--tag',
      'sk-svc-of-the-upstream',
      '--env',
      'Y=hidden-4',
    ],
  )
  expect(command).not.toMatch(/0123456789|ssword1|user|hidden|of-the-upstream/)
  expect(command).toContain(`--trace /tmp/${SHOWN}.jsonl`)
  expect(command).toContain(
    `-- -e 'TOKEN=…' '--env=OTHER=…' '-eX=…' --tag key=${SHOWN} --tag ${fingerprintSecret('sk-svc-of-the-upstream')} --env 'Y=…'`,
  )
})

test('hides the texts of secret members of the body', () => {
  const body = { max_tokens: 5, user: 'a', metadata: [{ api_key: 'b', auth: { scheme: ['c'] } }] }
  expect(formatLoadCommand({ body }, [])).toContain(
    `--body '{"max_tokens":5,"user":"a","metadata":[{"api_key":"…","auth":{"scheme":["…"]}}]}'`,
  )
})

test('quotes values that a shell would interpret', () => {
  expect(formatLoadCommand({ budgets: ['ttft.p99<=800ms', 'rate>=5'], trace: "it's $HOME.jsonl" }, ['--tag', ''])).toBe(
    String.raw`npm run load -- --trace 'it'\''s $HOME.jsonl' --seed 1 --budget 'ttft.p99<=800ms' --budget 'rate>=5' -- --tag ''`,
  )
})

test.each([
  ['meta-llama/Llama-3.1-8B', 'meta-llama/Llama-3.1-8B'],
  ['qwen2.5:0.5b', 'qwen2.5:0.5b'],
  ['a,b', 'a,b'],
  ['my model', "'my model'"],
])('formats the model %s', (model, shown) => {
  const models = [{ operation: null, model }]
  expect(formatLoadCommand({ models }, [])).toBe(`npm run load -- --seed 1 --model ${shown}`)
})

test('formats parsed values as the command line reads them', () => {
  const given = {
    limit: { requests: 60, windowS: 60, burst: 5, obey: true },
    durationS: 90,
    maxDurationS: 0.5,
    models: [
      { operation: null, model: 'o3-mini' },
      { operation: 'images', model: 'vendorc-4o' },
    ],
    weights: { 'chat-stream': 3, images: 1 },
    segment: { index: 1, count: 4 },
    insecure: false,
    calibration: false,
    startAtUnixMs: 1_800_000_000_000,
  } as const
  expect(formatLoadCommand(given, [])).toBe(
    'npm run load -- --limit 60/60s,burst=5,obey --duration 90s --seed 1 --model o3-mini --model images=vendorc-4o --weights chat-stream=3,images=1 --max-duration 0.5s --segment 2/4 --no-calibration',
  )
})

test.each([
  ['x-tenant', 'blue'],
  ['x-api-key', '…'],
  ['x-api-key-v2', '…'],
  ['Cookie', '…'],
])('shows the header %s with the value %s', (name, shown) => {
  const headers = [{ name, value: shown === '…' ? 'hidden' : shown }]
  expect(formatLoadCommand({ headers }, [])).toBe(`npm run load -- --header '${name}: ${shown}' --seed 1`)
})

test.each([
  [['-e=TOKEN=hidden'], "'-e=TOKEN=…'"],
  [['--tag', 'name=hidden-value'], "--tag 'name=(hidden)'"],
])('hides the secret in the arguments %j of k6', (k6Options, shown) => {
  const headers = [{ name: 'x-api-key', value: 'hidden-value' }]
  expect(formatLoadCommand({ headers }, k6Options)).toBe(`npm run load -- --header 'x-api-key: …' --seed 1 -- ${shown}`)
})
