import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import { findUnreadForm } from './unread-forms.ts'

function formOf(body: string) {
  const exchange = createScriptedExchange({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
  return findUnreadForm(exchange)?.properties
}

test.each([
  ['plain frames', 'data: {}\n\ndata: [DONE]\n\n', undefined],
  ['CRLF', 'data: {}\r\n\r\ndata: [DONE]\r\n\r\n', undefined],
  ['CR', 'data: {}\r\rdata: [DONE]\r\r', ['line-ends=cr']],
  ['ids without comments', 'id: 1\ndata: {}\n\n', undefined],
  ['comments without ids', ': ping\n\ndata: {}\n\n', undefined],
  ['comments after ids', 'id: 1\ndata: {}\n\n: ping\n\ndata: {}\n\n', ['event-fields=id', 'keep-alive-comments=each']],
])('finds the form of a stream with %s that clients cannot read', (_name, body, properties) => {
  expect(formOf(body)).toEqual(properties)
})
