import OpenAI, { type ClientOptions } from 'openai'

const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }]

/** Runs the program under test: it responds to a question, with a tool that returns the weather. */
export async function runAgent(question: string, stream: boolean, options?: ClientOptions): Promise<string | null> {
  const client = new OpenAI(options)
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }]
  for (;;) {
    const request = { model: 'vendora-v4-flash', messages, tools }
    const completion = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request)
    const { message } = completion.choices[0]!
    if (!message.tool_calls?.length) return message.content
    messages.push(message)
    for (const call of message.tool_calls) {
      if (call.type !== 'function') throw new Error(`There is no tool of type ${call.type}.`)
      const { city } = JSON.parse(call.function.arguments)
      messages.push({ role: 'tool', tool_call_id: call.id, content: `21 degrees in ${city}` })
    }
  }
}
