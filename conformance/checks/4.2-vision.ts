import { type Check, defineCheck } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'

/** Tokens of the response. */
const MAX_TOKENS = 16
/** More than the marks of one message have. */
const FRAME_TOKENS = 48

/** How an image is put into a message, and which model sees it, is not shown: the owner of the target declares both. */
export const visionChecks: readonly Check[] = [
  defineCheck({
    id: '4.2/vision',
    requirement: '4.2/streaming-and-vision',
    title: 'accepts a message with an image, as declared for this target',
    operation: 'chat',
    needs: ['key'],
    declaration: 'vision',
    cost: { requests: 1 },
    costWith({ vision }) {
      if (vision === undefined) return { requests: 1 }
      const tokens = Buffer.byteLength(JSON.stringify(vision.content)) + MAX_TOKENS + FRAME_TOKENS
      return { requests: 1, tokensByModel: { [vision.model]: tokens } }
    },
    async run({ chat, declared: { vision } }) {
      const messages = [{ role: 'user', content: vision?.content ?? [] }]
      const response = await chat({ model: vision?.model, messages, max_tokens: MAX_TOKENS })
      return expect.success(response)
    },
  }),
]
