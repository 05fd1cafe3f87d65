import type { QuotaType } from '../../codec/Quota.js'

/** What a sandbox can be told of reference data: nothing of it is specified by the interface document. */
export interface ReferenceOptions {
  /**
   * The tree of industries: `LIST`, `CODE` and `QUESTION` nodes, or categories. Default `'by version'`:
   * codes from API version 2025-06-30 on.
   */
  readonly industryTree?: 'by version' | 'codes' | 'categories'
  /** The limits that this account has. Default: all three. */
  readonly quotaTypes?: ReadonlyArray<QuotaType>
}

export const referenceDefaults: Required<ReferenceOptions> = {
  industryTree: 'by version',
  quotaTypes: Object.freeze<QuotaType[]>(['CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND']),
}
