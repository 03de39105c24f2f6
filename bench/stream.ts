/**
 * Measures streamed events per second without latency: the emulator against a bare node:http server that writes the
 * same events, one write per event or all in one write, and aimock, in turns. Prints JSON, then one line per server;
 * `--out FILE` also stores the JSON. Exit code 1 if a bound is broken.
 */
import { AIMOCK, startAimock } from './aimock.ts'
import { runAutocannon } from './run-autocannon.ts'
import { startEmulatorProcess, type ServerProcess } from './server-process.ts'
import { report } from './throughput-report.ts'
import { measureInTurns, readLoad, readResponse, startBareResponses } from './throughput.ts'

const EVENTS = 100

const messages = [{ role: 'user', content: 'Tell me of the harbor.' }]
const { load, out } = readLoad({ model: 'o3-mini', max_tokens: EVENTS, stream: true, messages })
const eventsOf = (text: string) => text.split(/(?<=\n\n)/)

const emulator = await startEmulatorProcess(['--answer-tokens', 'fill'])
const answer = await readResponse(emulator, load, eventsOf)
const servers = new Map<string, ServerProcess>([
  ['emulator', emulator],
  ['raw node:http', await startBareResponses('raw-events', answer)],
  ['raw node:http, one write', await startBareResponses('raw', answer)],
])
const content = answer.parts.map((part) => /"content":"([^"]*)"/.exec(part)?.[1] ?? '').join('')
const aimock = await startAimock(content, Math.ceil(content.length / EVENTS))
if (aimock !== undefined) servers.set(AIMOCK, aimock)

const perRequest = new Map<string, number>()
for (const [name, server] of servers) perRequest.set(name, (await readResponse(server, load, eventsOf)).parts.length)
const measured = await measureInTurns(servers, load, runAutocannon)
for (const server of servers.values()) await server.stop()
report({
  bench: 'stream',
  load,
  measured,
  unit: { name: 'events', perRequest },
  bounds: new Map([
    ['raw node:http', 0.8],
    [AIMOCK, 2],
  ]),
  out,
})
