import { expect, test } from 'vitest'
import { usageSentence } from './usage-sentence.ts'

test.each([
  [
    "error: unknown option '--tagret'\n(Did you mean --target?)",
    'touchstone load',
    "Unknown option '--tagret': did you mean --target?\n",
  ],
  [
    "error: missing required argument 'files'",
    'touchstone report matrix',
    "Missing required argument 'files': see touchstone report matrix --help.\n",
  ],
  [
    'error: gateway.json is there already: name another',
    'touchstone init',
    'gateway.json is there already: name another.\n',
  ],
  ['error: out/t is no file: name another', 'touchstone init', 'out/t is no file: name another.\n'],
  [
    'error: the key sk-svc-secret is wrong: give another',
    'touchstone load',
    'The key sk-svc-… is wrong: give another.\n',
  ],
])('%j is told as one line', (text, command, sentence) => {
  expect(usageSentence(text, command)).toBe(sentence)
})
