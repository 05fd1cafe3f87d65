import * as t from 'io-ts'

// biome-ignore format: a line for each first letter, as in the interface
const orderCurrency = t.keyof({
  AED: null, ALL: null, AMD: null, ANG: null, AOA: null, ARS: null, AUD: null, AWG: null, AZN: null,
  BAM: null, BBD: null, BDT: null, BGN: null, BIF: null, BMD: null, BND: null, BOB: null, BRL: null, BSD: null, BTN: null, BWP: null, BZD: null,
  CAD: null, CHF: null, CLP: null, COP: null, CRC: null, CVE: null, CZK: null,
  DJF: null, DKK: null, DOP: null, DZD: null,
  EGP: null, ERN: null, ETB: null, EUR: null,
  FJD: null, FKP: null,
  GBP: null, GEL: null, GHS: null, GIP: null, GMD: null, GNF: null, GTQ: null, GYD: null,
  HKD: null, HNL: null, HRK: null, HUF: null,
  IDR: null, ILS: null, INR: null, ISK: null,
  JMD: null, JOD: null, JPY: null,
  KES: null, KGS: null, KHR: null, KMF: null, KRW: null, KWD: null, KYD: null, KZT: null,
  LAK: null, LBP: null, LKR: null, LRD: null, LSL: null, LYD: null,
  MAD: null, MDL: null, MGA: null, MKD: null, MNT: null, MOP: null, MRU: null, MUR: null, MVR: null, MWK: null, MXN: null, MYR: null,
  NAD: null, NIO: null, NOK: null, NPR: null, NZD: null,
  OMR: null,
  PAB: null, PEN: null, PGK: null, PHP: null, PKR: null, PLN: null, PYG: null,
  QAR: null,
  RON: null, RSD: null, RWF: null,
  SAR: null, SBD: null, SCR: null, SEK: null, SGD: null, SHP: null, SLL: null, SRD: null, STN: null, SVC: null, SZL: null,
  THB: null, TJS: null, TMT: null, TND: null, TOP: null, TRY: null, TTD: null, TWD: null, TZS: null,
  UAH: null, UGX: null, USD: null, UYU: null, UZS: null,
  VND: null, VUV: null,
  WST: null,
  XAF: null, XCD: null, XOF: null, XPF: null,
  ZAR: null, ZMW: null,
})

/** A currency that an order may be in (interface, Reference data). */
export type OrderCurrency = t.TypeOf<typeof orderCurrency>

export const OrderCurrency = orderCurrency
