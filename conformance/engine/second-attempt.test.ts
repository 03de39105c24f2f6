import { expect, test } from 'vitest'
import { sendWithSecondAttempt, type RequestAttempt } from './second-attempt.ts'

const DELAY_MS = 5

/** Starts a request whose two attempts the test can end in any order. */
function startTries() {
  const tries: RequestAttempt[] = []
  const ends: ((result: string) => void)[] = []
  const sent = sendWithSecondAttempt(
    (one) => {
      tries.push(one)
      return new Promise<string>((resolve) => ends.push(resolve))
    },
    DELAY_MS,
    (result) => result !== 'timeout',
  )
  const hasSecond = async (): Promise<void> => {
    await expect.poll(() => tries.length).toBe(2)
  }
  return { sent, tries, hasSecond, end: (index: number, result: string) => ends[index]?.(result) }
}

test('makes no second attempt if the first one ends in time', async () => {
  const { sent, tries, end } = startTries()
  end(0, 'served')
  expect(await sent).toBe('served')
  expect(tries.map(({ isSecond }) => isSecond)).toEqual([false])
})

test.each([0, 1])('returns the response of attempt %i and aborts the other attempt', async (index) => {
  const { sent, tries, hasSecond, end } = startTries()
  await hasSecond()
  end(index, 'served')
  expect(await sent).toBe('served')
  expect(tries[1 - index]?.signal.aborted).toBe(true)
})

test.each([0, 1])('waits for the other attempt after a timeout of attempt %i', async (index) => {
  const { sent, tries, hasSecond, end } = startTries()
  await hasSecond()
  end(index, 'timeout')
  await new Promise((resolve) => setTimeout(resolve, DELAY_MS))
  expect(tries.map(({ signal }) => signal.aborted)).toEqual([false, false])
  end(1 - index, 'served')
  expect(await sent).toBe('served')
})

test('returns the later result if neither attempt gets a response', async () => {
  const { sent, hasSecond, end } = startTries()
  await hasSecond()
  end(0, 'timeout')
  end(1, 'timeout')
  expect(await sent).toBe('timeout')
})
