import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type InstanceOptions } from '../../create-emulator.ts'

const MODEL = 'vendora-v4-flash'

function connect(options: InstanceOptions = {}): OpenAI.Responses {
  const emulator = createEmulator({ extensions: ['responses'], ...options })
  onTestFinished(() => emulator.close())
  return new OpenAI({ ...emulator.clientOptions(), maxRetries: 0 }).responses
}

const SHELL = { commands: ['ls'], timeout_ms: 1000 }
const EXEC = { type: 'exec', command: ['ls'], env: {} }
const PATCH = { type: 'create_file', path: 'a.txt', diff: '+Hello.' }
const CLICK = { type: 'click', button: 'left', x: 1, y: 2 }
const IMAGE = 'data:image/png;base64,AAAA'

const TOOLS: readonly [name: string, tool: object, arguments_: object, item: object, output: object, result: string][] =
  [
    [
      'shell',
      { type: 'shell', environment: { type: 'local' } },
      SHELL,
      { type: 'shell_call', action: SHELL, environment: { type: 'local' } },
      {
        type: 'shell_call_output',
        output: [{ stdout: 'a.txt', stderr: 'warning', outcome: { type: 'exit', exit_code: 0 } }],
      },
      'a.txt\nwarning',
    ],
    [
      'local_shell',
      { type: 'local_shell' },
      EXEC,
      { type: 'local_shell_call', action: EXEC },
      { type: 'local_shell_call_output', output: 'a.txt' },
      'a.txt',
    ],
    [
      'apply_patch',
      { type: 'apply_patch' },
      PATCH,
      { type: 'apply_patch_call', operation: PATCH },
      { type: 'apply_patch_call_output', status: 'completed' },
      'completed',
    ],
    [
      'computer',
      { type: 'computer' },
      CLICK,
      { type: 'computer_call', actions: [CLICK], pending_safety_checks: [] },
      { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: IMAGE } },
      '',
    ],
    [
      'computer_use_preview',
      { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
      CLICK,
      { type: 'computer_call', action: CLICK, pending_safety_checks: [] },
      { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: IMAGE } },
      '',
    ],
  ]

test.each(TOOLS.flatMap((row) => [false, true].map((stream) => [row[0], stream, row] as const)))(
  'serves a loop with the tool %s, with streaming: %s',
  async (name, stream, [, tool, arguments_, item, output, toolResult]) => {
    const responses = connect({
      strictFixtures: true,
      fixtures: [
        { toolResult, toolResultOf: name, text: 'Done.' },
        { tools: [name], message: 'Go.', toolCalls: [{ name, arguments: arguments_ }] },
      ],
    })
    const tools = [tool as OpenAI.Responses.Tool]
    const create = (fields: Pick<OpenAI.Responses.ResponseCreateParams, 'input' | 'previous_response_id'>) => {
      const request = { model: MODEL, tools, ...fields }
      return stream ? responses.stream({ ...request, stream: true }).finalResponse() : responses.create(request)
    }
    const first = await create({ input: 'Go.' })
    expect(first.output).toMatchObject([{ ...item, status: 'completed', call_id: expect.stringMatching(/^call_/) }])
    const callId: unknown = Reflect.get(Object(first.output[0]), 'call_id')
    const result = {
      ...output,
      id: callId,
      call_id: callId,
    } as unknown as OpenAI.Responses.ResponseInputItem
    expect((await create({ input: [result], previous_response_id: first.id })).output_text).toBe('Done.')
    const question = { role: 'user' as const, content: 'Go.' }
    const items = first.output as OpenAI.Responses.ResponseInputItem[]
    expect((await create({ input: [question, ...items, result] })).output_text).toBe('Done.')
  },
)

test.each(TOOLS)('generates a call of the tool %s if tool_choice names it', async (_name, tool, _arguments, item) => {
  const { type }: { type?: unknown } = { ...tool }
  const response = await connect().create({
    model: MODEL,
    input: 'Go.',
    tools: [tool as OpenAI.Responses.Tool],
    tool_choice: { type } as OpenAI.Responses.ToolChoiceTypes,
  })
  expect(response.output).toMatchObject([{ type: Reflect.get(item, 'type'), status: 'completed' }])
})

test('ignores a shell that runs in a container of the provider', async () => {
  const responses = connect({ fixtures: [{ tools: ['shell'], text: 'Offered.' }, { text: 'Not offered.' }] })
  const tools = [{ type: 'shell' as const, environment: { type: 'container_auto' as const } }]
  expect((await responses.create({ model: MODEL, input: 'Go.', tools })).output_text).toBe('Not offered.')
})
