/** A way to split a text over a response, and to join the parts as a reader would. */
export interface Split {
  write(parts: readonly string[]): string
  /** Returns the joined parts of a response, which may be truncated or contain other text. */
  read(response: string): string
}

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`

/** Ways to split a text over the values and lines of a response. */
export const SPLITS = {
  items: {
    write: (parts) => JSON.stringify({ items: parts }),
    read: (response) => readStrings(/"items":\[(.*)\]/s.exec(response)?.[1] ?? '', QUOTED),
  },
  'items between objects': {
    write: (parts) => JSON.stringify({ mixed: parts.flatMap((part) => [part, { name: 'y' }]) }),
    read: (response) => readStrings(response, `[[,]${QUOTED}(?=,)`),
  },
  'lists in a list': {
    write: (parts) => JSON.stringify({ nested: parts.map((part) => [part, 'zz']) }),
    read: (response) => readStrings(response, String.raw`\[${QUOTED},"zz"\]`),
  },
  deltas: {
    write: (parts) => writeEvents(parts.map((content) => ({ choices: [{ index: 0, delta: { content } }] }))),
    read: (response) => readStrings(response, `"content":${QUOTED}`),
  },
  'deltas of two choices': {
    write: (parts) =>
      writeEvents(
        parts.map((said) => ({
          choices: [
            { index: 0, delta: { said } },
            { delta: { said: 'zz' }, index: 1 },
          ],
        })),
      ),
    read: (response) => readStrings(response, `"index":0,"delta":{"said":${QUOTED}`),
  },
  'deltas of two choices in turn': {
    write: (parts) =>
      writeEvents(
        parts.flatMap((turn) => [
          { choices: [{ delta: { turn }, index: 0 }] },
          { choices: [{ delta: { turn: 'zz' }, index: 1 }] },
        ]),
      ),
    read: (response) => readStrings(response, `"turn":${QUOTED}},"index":0`),
  },
  'arguments of parallel tool calls': {
    write: (parts) =>
      writeEvents(
        parts.map((called) => ({
          choices: [
            {
              index: 0,
              delta: {
                tool_calls: [
                  { index: 0, function: { arguments: 'zz' } },
                  { index: 1, function: { arguments: called } },
                ],
              },
            },
          ],
        })),
      ),
    read: (response) => readStrings(response, `"index":1,"function":{"arguments":${QUOTED}`),
  },
  'values of one path': {
    write: (parts) => writeEvents(parts.map((path) => ({ a: { path }, b: { path: 'zz' } }))),
    read: (response) => readStrings(response, `{"path":${QUOTED}},"b"`),
  },
  'values after a colon': {
    write: (parts) => writeEvents(parts.map((part) => ({ colon: `:${part}` }))),
    read: (response) => readStrings(response, String.raw`"colon":":((?:[^"\\]|\\.)*)"`),
  },
  'values after a space': {
    write: (parts) => writeEvents(parts.map((part) => ({ space: ` ${part}` }))),
    read: (response) => readStrings(response, String.raw`"space":" ((?:[^"\\]|\\.)*)"`),
  },
  'single quotes': {
    write: (parts) => parts.map((part) => `data: {'single':'${quote(part)}'}\n\n`).join(''),
    read: (response) => readStrings(response, String.raw`'single':'((?:[^'\\]|\\.)*)'`),
  },
  'data lines': createLineSplit('data', ''),
  'id lines': createLineSplit('id', 'data: {}\n'),
  'event lines': createLineSplit('event', 'data: {"a":1}\n'),
  'comment lines': createLineSplit('', 'data: [DONE]\n'),
} as const satisfies Readonly<Record<string, Split>>

export type SplitName = keyof typeof SPLITS

/** Splits a text into parts with the given lengths, which repeat. No part consists only of braces. */
export function splitText(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const length = lengths[parts.length % lengths.length] ?? 1
    let end = at + length
    while (/^[{}]*$/.test(text.slice(at, end)) && end < text.length) end += 1
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

function writeEvents(events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

function createLineSplit(field: string, others: string): Split {
  return {
    write: (parts) => parts.map((part) => `${field}: ${part}\n${others}\n`).join(''),
    read: (response) =>
      Array.from(response.matchAll(new RegExp(`^${field}: (.*)$`, 'gm')), ([, value = '']) => value).join(''),
  }
}

function readStrings(response: string, pattern: string): string {
  return Array.from(response.matchAll(new RegExp(pattern, 'g')), ([, text = '']) => unquote(text)).join('')
}

function quote(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
