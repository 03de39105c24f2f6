/**
 * Measures streamed events per second without latency. Compares the emulator, in alternating rounds, with bare
 * node:http servers, which write the same events one by one or all at once, and with aimock. Prints JSON, then one line per server; `--out
 * FILE` also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { AIMOCK_NAME } from './aimock.ts'
import { compareThroughput } from './throughput.ts'

const EVENTS = 100

await compareThroughput({
  bench: 'stream',
  unit: 'events',
  body: {
    model: 'o3-mini',
    max_tokens: EVENTS,
    stream: true,
    messages: [{ role: 'user', content: 'Tell me of the harbor.' }],
  },
  split: (text) => text.split(/(?<=\n\n)/),
  chunks: EVENTS,
  baselines: { 'raw node:http': 'raw-events', 'raw node:http, one write': 'raw' },
  bounds: { 'raw node:http': 0.8, [AIMOCK_NAME]: 2 },
})
