/**
 * Measures chat completions per second. Compares the emulator (with authentication, validation, billing and request
 * log) with baseline servers and with aimock, in alternating rounds. Prints JSON, then one line per server; `--out FILE`
 * also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { AIMOCK_NAME } from './aimock.ts'
import { compareThroughput } from './throughput.ts'

await compareThroughput({
  bench: 'json',
  unit: 'responses',
  body: { model: 'o3-mini', max_tokens: 60, messages: [{ role: 'user', content: 'Tell me of the harbor.' }] },
  split: (text) => [text],
  chunks: 1,
  baselines: { 'raw node:http': 'raw', Fastify: 'fastify' },
  bounds: { 'raw node:http': 0.65, Fastify: 0.9, [AIMOCK_NAME]: 3 },
})
