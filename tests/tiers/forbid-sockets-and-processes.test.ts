import { execFile, execFileSync, exec, execSync, fork, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { createServer as createHttpServer, get } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'

test.each([
  ['listens on a socket', 'listen on a socket', () => createServer().listen(0)],
  ['starts an HTTP server', 'listen on a socket', () => createHttpServer().listen(0, '127.0.0.1')],
  ['opens a connection', 'open a connection', () => connect(9, '127.0.0.1')],
  ['sends an HTTP request', 'open a connection', () => get('http://127.0.0.1:9/')],
  ['opens a TLS connection', 'open a connection', () => connectTls(9, '127.0.0.1')],
  ['opens an HTTP/2 connection', 'open a connection', () => connectHttp2('http://127.0.0.1:9')],
  ['opens a UDP socket', 'open a socket', () => createSocket('udp4').bind(0)],
  ['sends a datagram', 'open a socket', () => createSocket('udp4').send('x', 9, '127.0.0.1')],
  ['spawns a process', 'start a process', () => spawn('true')],
  ['spawns a process and waits for it', 'start a process', () => spawnSync('true')],
  ['runs a command of the shell', 'start a process', () => exec('true')],
  ['runs a command of the shell and waits for it', 'start a process', () => execSync('true')],
  ['runs a program', 'start a process', () => execFile('true')],
  ['runs a program and waits for it', 'start a process', () => execFileSync('true')],
  ['forks', 'start a process', () => fork('none.js')],
])('a unit test that %s fails', (_name, what, act) => {
  expect(act).toThrow(`A unit test may not ${what}: name the file *.integration.test.ts.`)
})

test('a unit test that fetches fails', async () => {
  const cause = expect.objectContaining({ message: expect.stringContaining('A unit test may not open a connection') })
  await expect(fetch('http://127.0.0.1:8099/')).rejects.toMatchObject({ cause })
})
