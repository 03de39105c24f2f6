import { CommandLineError } from './command-line-error.ts'

/** In the place of an address: the emulator that the command starts itself. */
const BUILT_IN_EMULATOR = 'emulator'

/** True if `--target emulator` was given. */
export function isBuiltInEmulator(target: string | undefined): boolean {
  return target === BUILT_IN_EMULATOR
}

/**
 * Rejects keys without a target: otherwise an unset variable for the address would cause a test of the emulator, which
 * succeeds.
 * @param keys the option rows of the given keys
 * @throws CommandLineError
 */
export function requireTargetForKeys(
  target: string | undefined,
  keys: readonly { readonly flag: string; readonly env: string }[],
): void {
  const [key] = keys
  if (target !== undefined || key === undefined) return
  throw new CommandLineError(
    `A key was given (${key.flag} or ${key.env}), but no target: give --target URL or TOUCHSTONE_TARGET, or --target ${BUILT_IN_EMULATOR} for the built-in emulator.`,
  )
}
