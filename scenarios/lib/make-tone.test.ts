import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeTone } from './make-tone.ts'

test('the file that transcriptions upload is what is made here', () => {
  const kept = readFileSync(new URL('../assets/tone.wav', import.meta.url))
  expect(Buffer.from(makeTone(1, 220)).equals(kept)).toBe(true)
})
