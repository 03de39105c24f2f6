import OpenAI from 'openai'

/** Client of an agent, created from the options of a mock server. */
export interface AgentOptions {
  readonly baseURL?: string
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
}

type Message = OpenAI.ChatCompletionMessageParam
const MODEL = 'vendora-v4-flash'
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

/** The program under test: answers a question, with a tool that returns the weather. */
export async function runAgent(question: string, stream: boolean, options: AgentOptions = {}): Promise<string> {
  const client = new OpenAI(options)
  const messages: Message[] = [{ role: 'user', content: question }]
  for (;;) {
    const request = { model: MODEL, messages, tools }
    const completion = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request)
    const message = completion.choices[0]?.message
    if (message === undefined) throw new Error('The response has no message.')
    messages.push(message)
    for (const call of message.tool_calls ?? []) {
      if (call.type !== 'function') throw new Error(`There is no tool of type ${call.type}.`)
      const city = /"city":\s*"(.*)"/.exec(call.function.arguments)?.[1] ?? ''
      messages.push({ role: 'tool', tool_call_id: call.id, content: `21 degrees in ${city}` })
    }
    if (message.tool_calls === undefined) return message.content ?? ''
  }
}
