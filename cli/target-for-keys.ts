import { CommandLineError } from './command-line-error.ts'

/** Value of `--target` for the emulator that the command starts itself. */
const BUILT_IN_EMULATOR = 'emulator'

/** True if `--target emulator` was given. */
export function isBuiltInEmulator(target: string | undefined): boolean {
  return target === BUILT_IN_EMULATOR
}

/**
 * Rejects keys without a target. With an unset `TOUCHSTONE_TARGET` the command would otherwise test the built-in
 * emulator and pass.
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
