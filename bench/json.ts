/**
 * Measures chat completions per second. Compares the emulator (with authentication, validation, billing and request
 * log) with baseline servers and with aimock, in alternating rounds. Prints JSON, then one line per server; `--out FILE`
 * also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { AIMOCK_NAME, startAimock } from './aimock.ts'
import { runAutocannon } from './run-autocannon.ts'
import { startEmulatorProcess, type ServerProcess } from './server-process.ts'
import { reportThroughput } from './throughput-report.ts'
import { measureAlternately, readLoadGeneratorOptions, recordResponse, startBareResponseServer } from './throughput.ts'

const messages = [{ role: 'user', content: 'Tell me of the harbor.' }]
const { load, out } = readLoadGeneratorOptions({ model: 'o3-mini', max_tokens: 60, messages })

const emulator = await startEmulatorProcess(['--answer-tokens', 'fill'])
const response = await recordResponse(emulator, load, (text) => [text])
const content = /"content":"([^"]*)"/.exec(response.parts.join(''))?.[1] ?? ''
const servers = new Map<string, ServerProcess>([
  ['emulator', emulator],
  ['raw node:http', await startBareResponseServer('raw', response)],
  ['Fastify', await startBareResponseServer('fastify', response)],
])
const aimock = await startAimock(content, content.length)
if (aimock !== undefined) servers.set(AIMOCK_NAME, aimock)

const measured = await measureAlternately(servers, load, runAutocannon)
for (const server of servers.values()) await server.stop()
reportThroughput({
  bench: 'json',
  load,
  measured,
  unit: { name: 'responses', perRequest: new Map() },
  bounds: new Map([
    ['raw node:http', 0.65],
    ['Fastify', 0.9],
    [AIMOCK_NAME, 3],
  ]),
  out,
})
