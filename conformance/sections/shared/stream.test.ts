import { expect, test } from 'vitest'
import { findStreamError } from '../../http/stream-error.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import { parseStream } from './stream.ts'

test('treats an event that is nested too deeply as an event without JSON', () => {
  const deep = `${'{"error":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  const headers = { 'content-type': 'text/event-stream' }
  const exchange = createScriptedExchange({ status: 200, headers, body: `data: ${deep}\n\ndata: [DONE]\n\n` })
  expect(parseStream(exchange).chunks.map(({ json }) => json)).toEqual([undefined])
  expect(findStreamError(exchange)).toBeUndefined()
})
