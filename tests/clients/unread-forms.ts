import type { FormOptions } from '../../emulator/options/unspecified-behaviour/behaviour-options.ts'
import type { Form } from '../../emulator/tests/support/forms.ts'
import { type ClientProgram, CLIENTS } from './clients.ts'
import { readPinnedVersion } from './installation.ts'

/** A lawful form of a stream that some clients cannot read, as measured. */
interface UnreadForm {
  /** The clients cannot read a form that has all of these options. */
  readonly options: Partial<FormOptions>
  readonly result: string
  readonly isAffected: (client: Pick<ClientProgram, 'title' | 'installation'>) => boolean
}

const usesPythonSdk = ({ installation }: Pick<ClientProgram, 'installation'>) => installation.startsWith('requirements')

/** The openai SDK for Python takes the blank line after a comment for an event, if an earlier event has an id. */
const AFTER_ID = 'a JSON error, because an empty event follows each comment'

const UNREAD_FORMS: readonly UnreadForm[] = [
  {
    options: { 'line-ends': 'cr' },
    result: 'an empty stream, without an error',
    isAffected: ({ title }) => title === 'openai (Go)',
  },
  {
    options: { 'line-ends': 'cr', 'done-marker': 'none', 'finish-reason-place': 'last-content' },
    result: 'the text without the last event, because its parser waits for a line feed after the last carriage return',
    isAffected: ({ title }) => title === 'AI SDK, OpenAI-compatible',
  },
  ...(['id', 'id-and-retry'] as const).map((fields) => ({
    options: { 'event-fields': fields, 'keep-alive-comments': 'each' } as const,
    result: AFTER_ID,
    isAffected: usesPythonSdk,
  })),
]

/** Returns the names of the forms that a client cannot read. */
export function findUnreadForms(
  client: Pick<ClientProgram, 'title' | 'installation'>,
  forms: readonly Form[],
): string[] {
  const rows = UNREAD_FORMS.filter(({ isAffected }) => isAffected(client))
  const has = ({ options }: Form, row: UnreadForm) =>
    Object.entries(row.options).every(([id, value]) =>
      Object.entries(options).some(([name, given]) => name === id && given === value),
    )
  return forms.filter((form) => rows.some((row) => has(form, row))).map(({ name }) => name)
}

/** Lists the forms with the clients that cannot read them, and the pinned versions of these clients. */
export function listUnreadForms() {
  return UNREAD_FORMS.map(({ options, result, isAffected }) => ({
    properties: Object.entries(options).map(([id, value]) => `${id}=${value}`),
    clients: CLIENTS.filter(isAffected).map((client) => `${client.title} ${readPinnedVersion(client)}`),
    result,
  }))
}

export function renderUnreadForms(): string {
  return [
    '| options | clients that cannot read the stream | result |',
    '|---|---|---|',
    ...listUnreadForms().map(({ properties, clients, result }) => {
      const flags = properties.map((flag) => `\`${flag}\``)
      return `| ${flags.join(', ')} | ${clients.join(', ')} | ${result} |`
    }),
  ].join('\n')
}
