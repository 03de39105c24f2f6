import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readOptions } from '../options/read-options.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { sendChat } from './support/requests.ts'

/** Text and number of tokens that a client read. */
interface Result {
  readonly text: string
  readonly tokens: number
}

/** Reads the pieces of a stream, as they arrive. */
type Client = (pieces: AsyncIterable<Uint8Array>) => Promise<Result>

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[]
  readonly usage?: { readonly completion_tokens: number }
}

interface Mistakes {
  readonly decode?: (piece: Uint8Array) => string
  readonly dataOf?: (line: string) => string | undefined
  readonly textOf?: (chunk: Chunk) => string
  /** True if the client takes the chunk for the end of the stream. */
  readonly isLast?: (chunk: Chunk) => boolean
  readonly countTokens?: (chunks: readonly Chunk[]) => number
}

/** Creates a client that is correct except for the given mistakes. */
function createClient(mistakes: Mistakes = {}): Client {
  return async (pieces) => {
    const decoder = new TextDecoder()
    const {
      decode = (piece: Uint8Array) => decoder.decode(piece, { stream: true }),
      dataOf = (line: string) => (line.startsWith('data:') ? line.slice(5) : undefined),
      textOf = ({ choices }: Chunk) => choices[0]?.delta.content ?? '',
      isLast = () => false,
      countTokens = (all: readonly Chunk[]) => all.findLast(({ usage }) => usage)?.usage?.completion_tokens ?? 0,
    } = mistakes
    let buffered = ''
    let text = ''
    const chunks: Chunk[] = []
    for await (const piece of pieces) {
      const lines = (buffered + decode(piece)).split(/\r?\n/)
      buffered = lines.pop() ?? ''
      for (const line of lines.filter(Boolean)) {
        const data = dataOf(line)
        if (data === undefined || data.includes('[DONE]')) continue
        const chunk = JSON.parse(data)
        if (isLast(chunk)) return { text, tokens: countTokens(chunks) }
        chunks.push(chunk)
        text += textOf(chunk)
      }
    }
    return { text, tokens: countTokens(chunks) }
  }
}

const MAX_LINE_CHARACTERS = 65_536

/** Clients with one mistake each, by the first column of the table in the guide. */
const FAULTY_CLIENTS: Readonly<Record<string, Client>> = {
  'decodes each read alone': createClient({ decode: (piece) => new TextDecoder().decode(piece) }),
  'counts chunks as tokens': createClient({
    countTokens: (chunks) => chunks.filter(({ choices }) => choices[0]?.delta.content).length,
  }),
  'treats an empty delta as the end': createClient({
    isLast: ({ choices: [choice] }) => choice !== undefined && Object.keys(choice.delta).length === 0,
  }),
  'adds up the usage of all chunks': createClient({
    countTokens: (chunks) => chunks.reduce((sum, { usage }) => sum + (usage?.completion_tokens ?? 0), 0),
  }),
  'parses comments as data': createClient({ dataOf: (line) => line.replace(/^data:/, '') }),
  'reads `choices[0]` of every chunk': createClient({
    textOf: ({ choices: [choice] }) => (choice as Chunk['choices'][number]).delta.content ?? '',
  }),
  'limits a line to 64 KB': createClient({ dataOf: (line) => line.slice(5, MAX_LINE_CHARACTERS) }),
  'treats `content: null` as the end': createClient({
    isLast: ({ choices: [choice] }) => choice !== undefined && choice.delta.content === null,
  }),
}

const PAGE = readFileSync(new URL('../../docs/reference/emulator.md', import.meta.url), 'utf8')
const ROWS = [...PAGE.matchAll(/^\| (?!a client that)(.+?) \| `(--(?:option|latency) .+?)` \| (.+?) \|$/gm)].map(
  ([, client = '', flags = '', shows = '']) => ({ client, flags, shows }),
)

/** Starts an emulator with the flags of a row. */
async function start(flags: string): Promise<Emulator> {
  const { values } = parseArgs({
    args: flags.split(' '),
    options: { option: { type: 'string', multiple: true }, latency: { type: 'string' } },
  })
  const { option = [], latency = 'instant' } = values
  return startEmulator(
    readOptions([
      ['options', option.join(',')],
      ['latency', latency],
    ]),
  )
}

/** Runs a client. Returns its result, or the name of its error, and whether both are as in the response without streaming. */
async function run(emulator: Emulator, client: Client) {
  const fields = { model: 'o3-mini', max_tokens: 120 }
  const account = () => ({ key: emulator.createAccount({ credits: '100' }).key })
  const { choices, usage } = JSON.parse(await (await sendChat(emulator, fields, account())).text())
  const streamed = { ...fields, stream: true, stream_options: { include_usage: true } }
  const response = await sendChat(emulator, streamed, account())
  const result = await client(response.body ?? new ReadableStream()).catch((error: unknown) => error)
  return { result, expected: { text: choices[0].message.content, tokens: usage.completion_tokens } }
}

test('the guide names a client for each mistake', () => {
  expect(ROWS.map(({ client }) => client)).toEqual(Object.keys(FAULTY_CLIENTS))
})

describe.each(ROWS)('a client that $client', ({ client, flags }) => {
  test(`fails with ${flags}`, async () => {
    await using emulator = await start(flags)
    const { result, expected } = await run(emulator, FAULTY_CLIENTS[client] ?? createClient())
    expect(result).not.toEqual(expected)
  })

  test(`a correct client reads the stream with ${flags}`, async () => {
    await using emulator = await start(flags)
    const { result, expected } = await run(emulator, createClient())
    expect(result).toEqual(expected)
  })
})
