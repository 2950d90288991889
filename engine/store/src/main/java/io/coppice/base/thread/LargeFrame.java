// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

/**
 * Method whose frame takes 8 KiB of stack and costs a few nanoseconds. The JVM checks the stack for
 * a whole frame before it enters a method:
 *
 * <ul>
 *   <li>The interpreter checks for all local variables.
 *   <li>The compilers check for the interpreter's frame, which they must be able to build if the
 *       nested call is reached. If the method is inlined, its caller checks for that.
 * </ul>
 */
final class LargeFrame {

  private LargeFrame() {}

  /**
   * Enters and leaves nested large frames.
   *
   * @param frames number of nested frames
   * @param deeper false, which the compilers must not know, so that they keep the nested call
   * @throws StackOverflowError if the frames do not fit
   */
  @SuppressWarnings("unused") // the variables only take room
  static void enter(int frames, boolean deeper) {
    long aaa, aab, aac, aad, aae, aaf, aag, aah, aba, abb, abc, abd, abe, abf, abg, abh;
    long aca, acb, acc, acd, ace, acf, acg, ach, ada, adb, adc, add, ade, adf, adg, adh;
    long aea, aeb, aec, aed, aee, aef, aeg, aeh, afa, afb, afc, afd, afe, aff, afg, afh;
    long aga, agb, agc, agd, age, agf, agg, agh, aha, ahb, ahc, ahd, ahe, ahf, ahg, ahh;
    long baa, bab, bac, bad, bae, baf, bag, bah, bba, bbb, bbc, bbd, bbe, bbf, bbg, bbh;
    long bca, bcb, bcc, bcd, bce, bcf, bcg, bch, bda, bdb, bdc, bdd, bde, bdf, bdg, bdh;
    long bea, beb, bec, bed, bee, bef, beg, beh, bfa, bfb, bfc, bfd, bfe, bff, bfg, bfh;
    long bga, bgb, bgc, bgd, bge, bgf, bgg, bgh, bha, bhb, bhc, bhd, bhe, bhf, bhg, bhh;
    long caa, cab, cac, cad, cae, caf, cag, cah, cba, cbb, cbc, cbd, cbe, cbf, cbg, cbh;
    long cca, ccb, ccc, ccd, cce, ccf, ccg, cch, cda, cdb, cdc, cdd, cde, cdf, cdg, cdh;
    long cea, ceb, cec, ced, cee, cef, ceg, ceh, cfa, cfb, cfc, cfd, cfe, cff, cfg, cfh;
    long cga, cgb, cgc, cgd, cge, cgf, cgg, cgh, cha, chb, chc, chd, che, chf, chg, chh;
    long daa, dab, dac, dad, dae, daf, dag, dah, dba, dbb, dbc, dbd, dbe, dbf, dbg, dbh;
    long dca, dcb, dcc, dcd, dce, dcf, dcg, dch, dda, ddb, ddc, ddd, dde, ddf, ddg, ddh;
    long dea, deb, dec, ded, dee, def, deg, deh, dfa, dfb, dfc, dfd, dfe, dff, dfg, dfh;
    long dga, dgb, dgc, dgd, dge, dgf, dgg, dgh, dha, dhb, dhc, dhd, dhe, dhf, dhg, dhh;
    long eaa, eab, eac, ead, eae, eaf, eag, eah, eba, ebb, ebc, ebd, ebe, ebf, ebg, ebh;
    long eca, ecb, ecc, ecd, ece, ecf, ecg, ech, eda, edb, edc, edd, ede, edf, edg, edh;
    long eea, eeb, eec, eed, eee, eef, eeg, eeh, efa, efb, efc, efd, efe, eff, efg, efh;
    long ega, egb, egc, egd, ege, egf, egg, egh, eha, ehb, ehc, ehd, ehe, ehf, ehg, ehh;
    long faa, fab, fac, fad, fae, faf, fag, fah, fba, fbb, fbc, fbd, fbe, fbf, fbg, fbh;
    long fca, fcb, fcc, fcd, fce, fcf, fcg, fch, fda, fdb, fdc, fdd, fde, fdf, fdg, fdh;
    long fea, feb, fec, fed, fee, fef, feg, feh, ffa, ffb, ffc, ffd, ffe, fff, ffg, ffh;
    long fga, fgb, fgc, fgd, fge, fgf, fgg, fgh, fha, fhb, fhc, fhd, fhe, fhf, fhg, fhh;
    long gaa, gab, gac, gad, gae, gaf, gag, gah, gba, gbb, gbc, gbd, gbe, gbf, gbg, gbh;
    long gca, gcb, gcc, gcd, gce, gcf, gcg, gch, gda, gdb, gdc, gdd, gde, gdf, gdg, gdh;
    long gea, geb, gec, ged, gee, gef, geg, geh, gfa, gfb, gfc, gfd, gfe, gff, gfg, gfh;
    long gga, ggb, ggc, ggd, gge, ggf, ggg, ggh, gha, ghb, ghc, ghd, ghe, ghf, ghg, ghh;
    long haa, hab, hac, had, hae, haf, hag, hah, hba, hbb, hbc, hbd, hbe, hbf, hbg, hbh;
    long hca, hcb, hcc, hcd, hce, hcf, hcg, hch, hda, hdb, hdc, hdd, hde, hdf, hdg, hdh;
    long hea, heb, hec, hed, hee, hef, heg, heh, hfa, hfb, hfc, hfd, hfe, hff, hfg, hfh;
    long hga, hgb, hgc, hgd, hge, hgf, hgg, hgh, hha, hhb, hhc, hhd, hhe, hhf, hhg, hhh;
    if (deeper || frames > 1) {
      enter(frames - 1, deeper);
    }
  }
}
