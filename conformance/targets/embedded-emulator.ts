import type { Declarations } from './declarations.ts'

/** A PNG image of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Declarations for the embedded emulator, with which no check lacks a declaration. */
export const EMBEDDED_EMULATOR: {
  readonly declarations: Declarations
  /** Emulator options with which the declarations are true. */
  readonly decisions: { readonly 'quality-parameter': 'quality' }
  /**
   * Emulator faults that pace streams, because a stream sent at once does not show whether its events are sent as they
   * are generated. Other responses are not delayed, so that the run is quick.
   */
  readonly faults: readonly string[]
} = {
  declarations: {
    qualityParameter: 'quality',
    balance: { path: '/__emulator/balance', pointer: '/credits' },
    smallBalance: 1,
    // The limited account allows a burst of 5, and one more request per second.
    limitedRate: { requests: 15, seconds: 10 },
    vision: {
      model: 'vendora-v4-flash',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    },
  },
  decisions: { 'quality-parameter': 'quality' },
  faults: ['operation=chat,gapMs=2'],
}
