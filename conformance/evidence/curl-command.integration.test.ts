import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { FormFields } from '../requests/api-request.ts'
import { buildAudioFile, buildPaddedWav } from '../requests/audio.ts'
import { buildCurlCommand } from './curl-command.ts'
import { SecretMask } from './secrets.ts'

/** Runs the command for a request in a shell, and returns the body that a server receives. */
async function sendWithCurl(body: Uint8Array | undefined, form?: FormFields): Promise<Buffer> {
  const { promise: received, resolve } = Promise.withResolvers<Buffer>()
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      response.end('ok')
      resolve(bytes)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x`
  const request = { method: 'POST', path: '/v1/x', url, headers: {}, ...(body === undefined ? {} : { body }) }
  const { stdout } = await promisify(execFile)('sh', ['-c', buildCurlCommand(request, form, new SecretMask([]))])
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/m)
  return received
}

test.each([
  ['a WAV file', buildAudioFile('wav')],
  ['an MP3 file', buildAudioFile('mp3')],
  ['a file of 1 MB', buildPaddedWav(1_000_000)],
  ['a file name with quotes and a semicolon', { ...buildAudioFile('mp3'), filename: 'a"b;\\c.mp3' }],
])('the curl command of an upload needs no file: %s', async (_, file) => {
  const body = await sendWithCurl(undefined, { model: 'm', file })
  expect(body.includes(Buffer.from(file.bytes))).toBe(true)
  expect(body.toString('latin1')).toContain(`Content-Type: ${file.mediaType}\r\n`)
  expect(body.toString('latin1')).toMatch(/name="file"; filename="(?:speech\.\w+|a(?:\\"|%22)b;\\*c\.mp3)"/)
})

test('the curl command of an upload sends an empty file', async () => {
  const file = { ...buildAudioFile('wav'), bytes: new Uint8Array() }
  const body = await sendWithCurl(undefined, { file })
  expect(body.toString('latin1')).toMatch(/filename="speech\.wav"\r\nContent-Type: audio\/wav\r\n\r\n\r\n--/)
})

test('the curl command of a large or binary body contains the body', async () => {
  const large = Buffer.from(JSON.stringify({ input: 'word '.repeat(50_000) }))
  expect(await sendWithCurl(large)).toEqual(large)
  expect(await sendWithCurl(Buffer.from([0, 1, 255]))).toEqual(Buffer.from([0, 1, 255]))
})
