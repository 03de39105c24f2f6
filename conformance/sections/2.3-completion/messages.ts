import type { MESSAGE_ROLES } from '../../../contract/facts.ts'
import { type Check, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import { checkServedLikePlain } from '../shared/common-form.ts'
import { defineObservationCheck } from '../shared/observation-check.ts'

type Role = (typeof MESSAGE_ROLES)[number]

interface RoleConversations {
  readonly id: string
  readonly role: Role
  readonly conversations: readonly (readonly Role[])[]
}

/**
 * Conversations that contain a message with the role, starting with the most common form. The specification limits
 * neither the number nor the order of messages, so a role passes if the target accepts at least one of its
 * conversations.
 */
const CONVERSATIONS: readonly RoleConversations[] = [
  { id: '2.3/role-system', role: 'system', conversations: [['system', 'user'], ['system']] },
  { id: '2.3/role-user', role: 'user', conversations: [['user']] },
  {
    id: '2.3/role-assistant',
    role: 'assistant',
    conversations: [['user', 'assistant', 'user'], ['assistant', 'user'], ['user', 'assistant'], ['assistant']],
  },
]

function createMessages(roles: readonly Role[]): readonly object[] {
  return roles.map((role) => ({ role, content: 'Say hello.' }))
}

/** A conversation with a second question. The check of the role `assistant` shares its response. */
const CONVERSATION: readonly Role[] = ['user', 'assistant', 'user']

const OTHER_MESSAGES = {
  '2.3/role-developer': { role: 'developer', content: 'Say hello.' },
  '2.3/role-unknown': { role: 'touchstone', content: 'Say hello.' },
  '2.3/message-name-field': { role: 'user', content: 'Say hello.', name: 'touchstone' },
  '2.3/message-without-role': { content: 'Say hello.' },
  '2.3/message-without-content': { role: 'user' },
  '2.3/message-null-content': { role: 'user', content: null },
  '2.3/message-number-content': { role: 'user', content: 5 },
  '2.3/message-number-role': { role: 5, content: 'Say hello.' },
} as const

export const messageChecks: readonly Check[] = [
  ...CONVERSATIONS.map(({ id, role, conversations }) =>
    defineCheck({
      id,
      requirement: '2.3/request-roles',
      title: `accepts a message with the role "${role}"`,
      operation: 'chat',
      cost: calculateMaxCost('chat', conversations.length + 1),
      async run(context) {
        const responses: (ResponseParams & { readonly form: string })[] = []
        let first: Exchange | undefined
        for (const roles of conversations) {
          const response = await context.shared.chat({ messages: createMessages(roles) })
          const isRejected = response.error === undefined && response.status === 400
          if (!isRejected) return checkServedLikePlain(response, context)
          first ??= response
          responses.push({ form: roles.join(', '), ...expect.getResponseParams(response) })
        }
        // The plainest chat contains only a message of the user.
        const plain = role === 'user' ? undefined : await context.shared.chat()
        if (plain !== undefined && !expect.isServed(plain)) return expect.checkResponse(plain, expect.EXPECT_SUCCESS)
        const outcome = expect.addDifference(
          { variant: `with the role "${role}"` },
          expect.fail(expect.EXPECT_SUCCESS, { code: 'rejected-in-all-forms', params: { responses } }),
        )
        // Without the message of this role, the first form is a conversation that the target serves.
        return first === undefined ? outcome : { ...outcome, exchange: first }
      },
    }),
  ),
  // The specification states no maximum number of messages, so a target may reject this conversation.
  defineCheck({
    id: '2.3/conversation',
    requirement: '2.3/conversation',
    title: 'serves a conversation of three messages',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ shared }) {
      const plain = await shared.chat()
      const response = await shared.chat({ messages: createMessages(CONVERSATION) })
      const consequence = 'chat applications, which send the conversation so far, get no answer to a second question'
      return expect.checkRequestForm(response, { asWellAs: plain }, expect.EXPECT_SUCCESS, () => undefined, consequence)
    },
  }),
  ...Object.entries(OTHER_MESSAGES).map(([id, message]) =>
    defineObservationCheck({
      id,
      requirement: '2.3/other-message-fields',
      tried: `the message ${JSON.stringify(message)}`,
      operation: 'chat',
      request: ({ chat }) => chat({ messages: [message] }),
    }),
  ),
]
