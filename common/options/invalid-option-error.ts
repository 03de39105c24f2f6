/**
 * Formats the name of an option: its flag on the command line, the variable or the field of a file that sets it, or its
 * property in a program.
 */
export type NameOption<Name extends string = string> = (option: Name) => string

/** Names an option as a program does that calls the library. */
export const nameProperty: NameOption = (option) => option

/** Error of a program that does not start because options are invalid or contradict each other. */
export abstract class OptionError<
  Params extends { readonly reason: string },
  Name extends string = string,
> extends Error {
  override readonly name = 'InvalidOptionError'
  readonly code = 'TST_ERR_INVALID_OPTION'
  readonly params: Params
  /** Returns the message with other names of options. */
  readonly describe: (name: NameOption<Name>) => string

  constructor(params: Params, describe: (params: Params, name: NameOption<Name>) => string) {
    super(describe(params, nameProperty))
    this.params = params
    this.describe = (name) => describe(params, name)
  }
}
