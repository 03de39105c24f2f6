/** Checks that fail if the target does not serve a plain chat, or the burst of such chats. */
export const PLAIN_CHAT_CHECKS = [
  '2.2/auto',
  '2.2/low',
  '2.2/high',
  '2.2/ultra',
  '4.2/vision',
  '1/chat-offered',
  '2.1/all-answer-chat',
  '2.1/all-stream-chat',
  '2.3/role-system',
  '2.3/role-user',
  '2.3/role-assistant',
  '4.2/unicode-content',
  '4.2/temperature-lowest',
  '4.2/temperature-lowest-with-point',
  '4.2/temperature-highest',
  '4.2/temperature-highest-with-point',
  '4.2/temperature-default',
  '4.2/temperature-default-with-point',
  '4.2/temperature-fraction',
  '7/rate-limit-exceeded',
] as const

/** Checks of the completion object in responses to non-streaming chats. */
export const COMPLETION_CHECKS = [
  '1/json-media-type-chat',
  '2.1/all-answer-chat',
  '2.3/id',
  '2.3/ids-differ',
  '2.3/object',
  '2.3/created',
  '2.3/model',
  '2.3/choice-index',
  '2.3/message-role',
  '2.3/message-content',
  '2.3/finish-reason',
  '2.3/usage',
  '2.3/usage-adds-up',
  '4.2/max-tokens-bound',
  '8/max-tokens-default',
] as const

export const CHUNK_CHECKS = [
  '4.2/chunk-json',
  '4.2/chunk-object',
  '4.2/chunk-id',
  '4.2/chunk-index',
  '4.2/role-first',
  '4.2/content-text',
  '4.2/finish-reason-last',
  '4.2/done-last',
] as const
