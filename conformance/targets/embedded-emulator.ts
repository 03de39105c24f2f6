import type { Declarations } from './declarations.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The emulator treats a revoked key like any key that it does not know. */
export const REVOKED_KEY = 'sk-svc-touchstone-revoked'

/** The embedded emulator as a target, with all declarations that any check requires. */
export const EMBEDDED_EMULATOR: {
  readonly declarations: Declarations
  /** Emulator options with which the declarations are true. */
  readonly options: { readonly 'quality-parameter': 'quality' }
  /** Faults that delay the events of streams, because a stream in one piece would not show when events are sent. */
  readonly faults: readonly string[]
} = {
  declarations: {
    qualityParameter: 'quality',
    balance: { path: '/__emulator/balance', pointer: '/credits' },
    smallBalance: 1,
    'keys.revoked': true,
    // The emulator allows the limited key 5 requests at once and one per second, 15 in ten seconds.
    limitedRate: { requests: 15, seconds: 10 },
    vision: {
      model: 'vendora-v4-flash',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    },
  },
  options: { 'quality-parameter': 'quality' },
  faults: ['operation=chat,itlMs=2'],
}
