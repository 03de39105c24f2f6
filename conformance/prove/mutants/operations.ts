/** All operations in the order of the document. */
export const OPERATION_NAMES = ['models', 'chat', 'images', 'transcriptions', 'speech'] as const

/** The operations that cost credits. */
export const CHARGED_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

/** The operations with a JSON body. */
export const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const

/** Keys of the emulator's standard accounts, by purpose. */
export const EMULATOR_KEYS = {
  funded: 'sk-svc-touchstone-funded',
  empty: 'sk-svc-touchstone-empty',
  limited: 'sk-svc-touchstone-limited',
  small: 'sk-svc-touchstone-small',
} as const
