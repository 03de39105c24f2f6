import { expect, test } from 'vitest'
import { buildExchange } from '../http/build-exchange.ts'
import { joinPieces } from '../http/received-body.ts'
import { buildCurlCommand } from './curl-command.ts'
import { ExchangeRecorder } from './exchange-recorder.ts'
import { SecretMask } from './secrets.ts'

const mask = new SecretMask([])
const [balance, chat] = [exchangeWith('/balance'), exchangeWith('/v1/chat/completions')]
const recorder = new ExchangeRecorder()
recorder.add(balance, undefined)
recorder.add(chat, undefined)

function exchangeWith(path: string) {
  const request = { method: 'GET', path, url: `http://127.0.0.1:1${path}`, headers: {} }
  return buildExchange(request, 0, { status: 200, headers: {}, body: joinPieces([]), totalMs: 1 })
}

function commandFor({ request }: typeof balance): string {
  return buildCurlCommand(request, undefined, mask)
}

test('repeats the last request by default', () => {
  expect(recorder.reproduce(mask)).toBe(commandFor(chat))
})

test('repeats the request of the exchange that shows the finding', () => {
  expect(recorder.reproduce(mask, { exchange: balance })).toBe(commandFor(balance))
})

test('repeats several requests in the order in which they show the finding', () => {
  const around = `${commandFor(balance)}; echo; ${commandFor(chat)}; echo; ${commandFor(balance)}`
  expect(recorder.reproduce(mask, { sequence: [balance, chat, balance] })).toBe(around)
})

test('sends a request several times in parallel if the finding is about a burst', () => {
  const burst = `for i in $(seq 20); do ${commandFor(balance)} & done; wait`
  expect(recorder.reproduce(mask, { exchange: balance, parallel: 20 })).toBe(burst)
})

test('sends equal requests that follow each other in parallel, and the others after them', () => {
  const burst = `for i in $(seq 3); do ${commandFor(balance)} & done; wait; echo; ${commandFor(chat)}`
  expect(recorder.reproduce(mask, { sequence: [balance, balance, balance, chat] })).toBe(burst)
})

test('closes the connection of a stream after the first event if the suite did', () => {
  const stream = { ...chat, wasAborted: true as const, headers: { date: 'today' }, events: [{ atMs: 1, data: 'a' }] }
  const one = new ExchangeRecorder()
  one.add(stream, undefined)
  expect(one.reproduce(mask)).toBe(`${commandFor(chat)} | head -n 5`)
})

test('returns no command without a request', () => {
  expect(new ExchangeRecorder().reproduce(mask)).toBeUndefined()
})
