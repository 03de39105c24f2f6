/** Starts aimock, from the file that is named first, with one answer to everything: a text, cut into parts of so many characters. */
const [entry = '', content = '', chunkSize = '20'] = process.argv.slice(2)

/** As much of its class as is used here. */
interface Mock {
  onMessage(pattern: RegExp, answer: { content: string }): void
  start(): Promise<string>
  readonly url: string
}

const { LLMock } = (await import(entry)) as { LLMock: new (options: object) => Mock }
const mock = new LLMock({
  port: 0,
  logLevel: 'silent',
  latency: 0,
  journalMaxEntries: 1000,
  chunkSize: Number(chunkSize),
})
mock.onMessage(/./, { content })
await mock.start()
process.stdout.write(`ready at ${mock.url}\n`)
process.once('SIGTERM', () => process.exit(0))
