import { MESSAGE_ROLES } from '../../contract/facts.ts'
import { defineCheck } from '../harness/check.ts'
import type { Check } from '../harness/check.ts'
import * as expect from '../harness/expect.ts'
import { observationCheck } from './observe.ts'
import { costOf } from './operation.ts'
import { show } from './read.ts'

const CONVERSATIONS = {
  system: [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'Say hello.' },
  ],
  user: [{ role: 'user', content: 'Say hello.' }],
  assistant: [
    { role: 'user', content: 'Say hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Once more.' },
  ],
} as const

const roleChecks = MESSAGE_ROLES.map((role) =>
  defineCheck({
    id: `2.3/role-${role}`,
    requirement: '2.3/request-roles',
    title: `a message with the role "${role}" is accepted`,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 2),
    async run({ chat }) {
      const conversation = await chat({ messages: CONVERSATIONS[role] })
      // The bound of the message count is not shown: where the conversation is refused, one message has to do.
      const isRefused = conversation.error === undefined && conversation.status === 400
      const answer = isRefused ? await chat({ messages: [{ role, content: 'Say hello.' }] }) : conversation
      return expect.success(answer, 'a message with this role is accepted')
    },
  }),
)

const OTHER_MESSAGES = {
  'role-developer': { role: 'developer', content: 'Say hello.' },
  'role-unknown': { role: 'touchstone', content: 'Say hello.' },
  'message-name-field': { role: 'user', content: 'Say hello.', name: 'touchstone' },
  'message-without-role': { content: 'Say hello.' },
  'message-without-content': { role: 'user' },
  'message-null-content': { role: 'user', content: null },
} as const

const otherMessageChecks = Object.entries(OTHER_MESSAGES).map(([name, message]) =>
  observationCheck({
    id: `2.3/${name}`,
    requirement: '2.3/other-message-fields',
    tried: `the message ${show(message)}`,
    operation: 'chat',
    ask: ({ chat }) => chat({ messages: [message] }),
  }),
)

export const messageChecks: readonly Check[] = [...roleChecks, ...otherMessageChecks]
