import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'

const ASKED = '{"model": "o3-mini", "messages": [{"role": "user", "content": "Go."}]}'

test.each(['drop=true', 'cutAfterBytes=20', 'cutAfterBytes=20,reset'])(
  'an answer that is broken off before its turn (%s) ends its connection when it has it',
  async (fault) => {
    await using emulator = await startEmulator({ answerTokens: 3, allowFaultHeader: true })
    const requestWith = (field: string) =>
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${emulator.keys.funded}\r\n${field}content-length: ${ASKED.length}\r\n\r\n${ASKED}`
    const client = connect(emulator.port, '127.0.0.1')
    client.write(requestWith('') + requestWith(`x-touchstone-fault: ${fault}\r\n`))
    const said = await text(client).catch((error: NodeJS.ErrnoException) => error.code) // With this timeout, a connection left open shows as a hang.
    expect(said).toMatch(
      fault.includes('reset') ? /^ECONNRESET$|"total_tokens"/ : /^HTTP\/1\.1 200 OK[^]*"total_tokens":\d+\}\}/,
    )
  },
)
