import { expect, test } from 'vitest'
import { createStatusLine } from './status-line.ts'

function output(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}

test('shows one status line on a terminal, and removes it', () => {
  const terminal = output(true)
  const status = createStatusLine(terminal)
  status.show('running', ' · 1 s')
  status.show('running', ' · 2 s')
  status.clear()
  status.clear()
  expect(terminal.written.join('')).toBe('\r\u001b[2Krunning · 1 s\r\u001b[2Krunning · 2 s\r\u001b[2K')
})

test('writes each phase once if the output is not a terminal', () => {
  const file = output(false)
  const status = createStatusLine(file)
  status.show('building')
  status.show('running', ' · 1 s')
  status.show('running', ' · 2 s')
  status.clear()
  expect(file.written).toEqual(['building\n', 'running\n'])
})
