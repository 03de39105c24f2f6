/**
 * Measures streamed events per second without latency. Compares the emulator, in alternating rounds, with bare
 * node:http servers, which write the same events one by one or all at once, and with aimock. Prints JSON, then one line per server; `--out
 * FILE` also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { AIMOCK_NAME, startAimock } from './aimock.ts'
import { runAutocannon } from './run-autocannon.ts'
import { startEmulatorProcess, type ServerProcess } from './server-process.ts'
import { reportThroughput } from './throughput-report.ts'
import { measureAlternately, readLoadGeneratorOptions, recordResponse, startBareResponseServer } from './throughput.ts'

const EVENTS = 100

const messages = [{ role: 'user', content: 'Tell me of the harbor.' }]
const { load, out } = readLoadGeneratorOptions({ model: 'o3-mini', max_tokens: EVENTS, stream: true, messages })
const eventsOf = (text: string) => text.split(/(?<=\n\n)/)

const emulator = await startEmulatorProcess(['--answer-tokens', 'fill'])
const response = await recordResponse(emulator, load, eventsOf)
const servers = new Map<string, ServerProcess>([
  ['emulator', emulator],
  ['raw node:http', await startBareResponseServer('raw-events', response)],
  ['raw node:http, one write', await startBareResponseServer('raw', response)],
])
const content = response.parts.map((part) => /"content":"([^"]*)"/.exec(part)?.[1] ?? '').join('')
const aimock = await startAimock(content, Math.ceil(content.length / EVENTS))
if (aimock !== undefined) servers.set(AIMOCK_NAME, aimock)

const perRequest = new Map<string, number>()
for (const [name, server] of servers) perRequest.set(name, (await recordResponse(server, load, eventsOf)).parts.length)
const measured = await measureAlternately(servers, load, runAutocannon)
for (const server of servers.values()) await server.stop()
reportThroughput({
  bench: 'stream',
  load,
  measured,
  unit: { name: 'events', perRequest },
  bounds: new Map([
    ['raw node:http', 0.8],
    [AIMOCK_NAME, 2],
  ]),
  out,
})
