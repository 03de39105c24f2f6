import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeTone } from './make-tone.ts'

test('generates the file that transcriptions upload', () => {
  const kept = readFileSync(new URL('../assets/tone.wav', import.meta.url))
  expect(Buffer.from(makeTone(1, 220)).equals(kept)).toBe(true)
})
