import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Files that run for a chat completion without streaming, from the socket to the ledger, in the order of ARCHITECTURE.md. */
const PATH = [
  'http/fast-path/connection.ts',
  'http/fast-path/parse-request.ts',
  'http/api-routes.ts',
  'core/handle-request.ts',
  'core/request-context.ts',
  'core/pipeline.ts',
  'core/check-access.ts',
  'core/validate.ts',
  'core/when-ready.ts',
  'operations/chat.ts',
  'operations/parameters.ts',
  'core/billing.ts',
  'core/api-errors.ts',
  'operations/completion.ts',
  'core/response.ts',
  'core/send-response.ts',
  'core/response-writer.ts',
  'http/fast-path/response-writer.ts',
  'http/reason-phrase.ts',
  'state/ledger.ts',
]

const STREAM_PATH = [...PATH, 'core/write-stream.ts']

/** Matches the files that belong to the path of a request. Text generation and most of the state are not part of it. */
const IS_ON_PATH = /^(?:core|http)\/|^operations\/[\w-]+\.ts$|^state\/ledger\.ts$/

/** Source of a program that prints the files whose functions run during a request, relative to `emulator/`. */
const PROGRAM = `
  import { Agent, request } from 'node:http'
  import { Session } from 'node:inspector/promises'
  const { startEmulator } = await import('../start-emulator.ts')
  const { url } = await startEmulator()
  const body = JSON.stringify({ model: 'o3-mini', stream: STREAM, messages: [{ role: 'user', content: 'Hello.' }] })
  const headers = { 'content-length': body.length, authorization: 'Bearer sk-svc-touchstone-funded' }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const complete = () => new Promise((resolve) => {
    const onResponse = (response) => response.resume().on('end', resolve)
    request(url + '/v1/chat/completions', { method: 'POST', headers, agent }, onResponse).end(body)
  })
  await complete()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
  await session.post('Profiler.takePreciseCoverage')
  await complete()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const root = new URL('..', import.meta.url).href
  for (const { url: file, functions } of result) {
    if (file.startsWith(root) && functions.some(({ ranges }) => ranges[0].count > 0)) console.log(file.slice(root.length))
  }
  process.exit()
`

test.each([
  [false, PATH],
  [true, STREAM_PATH],
])('a chat completion with stream=%s runs only code of its path', async (stream, path) => {
  const program = PROGRAM.replaceAll('STREAM', String(stream))
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd })
  const files = stdout.split('\n').filter((file) => IS_ON_PATH.test(file))
  expect(files.toSorted()).toEqual(path.toSorted())
})
