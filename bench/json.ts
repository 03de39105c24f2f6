/**
 * Measures chat completions per second: the emulator (authentication, validation, price, settlement and request log
 * included) against baseline servers and aimock, in turns. autocannon generates the load for the bounds. wrk, if it is
 * installed, repeats the measurement with less CPU time of its own. Prints JSON, then one line per server; `--out FILE`
 * also stores the JSON. Exit code 1 if a bound is broken.
 */
import { AIMOCK, startAimock } from './aimock.ts'
import { runAutocannon } from './run-autocannon.ts'
import { isWrkInstalled, runWrk } from './run-wrk.ts'
import { startEmulatorProcess, type ServerProcess } from './server-process.ts'
import { report } from './throughput-report.ts'
import { measureInTurns, readLoad, readResponse, startBareResponses } from './throughput.ts'

const messages = [{ role: 'user', content: 'Tell me of the harbor.' }]
const { load, out } = readLoad({ model: 'o3-mini', max_tokens: 60, messages })

const emulator = await startEmulatorProcess(['--answer-tokens', 'fill'])
const answer = await readResponse(emulator, load, (text) => [text])
const content = /"content":"([^"]*)"/.exec(answer.parts.join(''))?.[1] ?? ''
const servers = new Map<string, ServerProcess>([
  ['emulator', emulator],
  ['raw node:http', await startBareResponses('raw', answer)],
  ['Fastify', await startBareResponses('fastify', answer)],
])
const aimock = await startAimock(content, content.length)
if (aimock !== undefined) servers.set(AIMOCK, aimock)

const measured = await measureInTurns(servers, load, runAutocannon)
const isWrkUsed = isWrkInstalled()
process.stderr.write(isWrkUsed ? 'the same by wrk\n' : 'wrk is not on the PATH, so that autocannon alone loads\n')
const byWrk = isWrkUsed ? await measureInTurns(servers, load, runWrk) : undefined
for (const server of servers.values()) await server.stop()
report({
  bench: 'json',
  load,
  measured,
  byWrk,
  unit: { name: 'answers', perRequest: new Map() },
  bounds: new Map([
    ['raw node:http', 0.65],
    ['Fastify', 0.9],
    [AIMOCK, 3],
  ]),
  out,
})
