import { toByteString } from '../../common/byte-string.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ResponseWriter } from './response-writer.ts'
import { SplittingResponseWriter } from './splitting-response-writer.ts'

/** Creates a writer that records writes, and whose send buffer takes `room` of them. */
function createWriter(room: number, bytesPerWrite: 'split' | 'one' = 'split') {
  const written: string[] = []
  let isClosed = false
  let drain = () => {}
  const writer: ResponseWriter = {
    start: () => {},
    write: (chunk) => written.push(chunk.toString('latin1')) < room,
    end: () => written.push('end'),
    abort: () => written.push('abort'),
    abortAfterFlush: () => written.push('abort'),
    abortInHead: () => written.push('abort'),
    isClosed: () => isClosed,
    onDrain(listener) {
      drain = listener
    },
    onClose: () => {},
  }
  const splitting = new SplittingResponseWriter(writer, bytesPerWrite)
  const onDrain = vi.fn<() => void>()
  splitting.onDrain(onDrain)
  return { written, splitting, onDrain, drain: () => drain(), close: () => (isClosed = true) }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('sends the rest of a split character after a pause', () => {
  const { written, splitting, onDrain } = createWriter(Infinity)
  expect(splitting.write(toByteString('aéb'))).toBe(false)
  expect(written).toEqual(['a\xc3'])
  vi.advanceTimersByTime(1)
  expect(written).toEqual(['a\xc3', '\xa9b'])
  expect(onDrain).toHaveBeenCalledOnce()
})

test('waits after the pause until the send buffer is no longer full', () => {
  const { splitting, onDrain, drain } = createWriter(2)
  splitting.write(toByteString('é'))
  drain()
  vi.advanceTimersByTime(1)
  expect(onDrain).not.toHaveBeenCalled()
  drain()
  expect(onDrain).toHaveBeenCalledOnce()
})

test('sends the rest of a split character before the end of the body', () => {
  const { written, splitting } = createWriter(Infinity)
  splitting.end(toByteString('é'))
  vi.advanceTimersByTime(1)
  expect(written).toEqual(['\xc3', '\xa9', 'end'])
})

test('sends nothing after the client disconnects during the pause', () => {
  const { written, splitting, close } = createWriter(Infinity)
  splitting.write(toByteString('é'))
  close()
  splitting.end()
  vi.advanceTimersByTime(1)
  expect(written).toEqual(['\xc3', 'end'])
})

test('writes single bytes only while the send buffer has room', () => {
  const { written, splitting, onDrain, drain } = createWriter(2, 'one')
  expect(splitting.write('abc')).toBe(false)
  expect(written).toEqual(['a', 'b'])
  drain()
  expect(written).toEqual(['a', 'b', 'c'])
  expect(onDrain).not.toHaveBeenCalled()
  drain()
  expect(onDrain).toHaveBeenCalledOnce()
})
