// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

/**
 * Method whose frame takes several KiB of stack and costs a few nanoseconds, since its body never
 * runs. The JVM checks the stack for a whole frame before it enters a method:
 *
 * <ul>
 *   <li>The interpreter checks for all local variables: 8 KiB.
 *   <li>The client compiler gives each live variable a place in the frame: 4 KiB.
 *   <li>The server compiler omits the body and checks for the interpreter's frame, which it must be
 *       able to build where the body would begin: 8 KiB. If the method is inlined, its caller
 *       checks for that.
 * </ul>
 */
final class LargeFrame {

  private static volatile long value;

  private LargeFrame() {}

  /**
   * Enters and leaves nested large frames.
   *
   * @param frames number of nested frames
   * @param runs false, which the compilers must not know
   * @throws StackOverflowError if the frames do not fit
   */
  static void enter(int frames, boolean runs) {
    if (!runs) {
      if (frames > 1) {
        enter(frames - 1, runs);
      }
      return;
    }
    long aaa = value,
        aab = value,
        aac = value,
        aad = value,
        aae = value,
        aaf = value,
        aag = value,
        aah = value;
    long aba = value,
        abb = value,
        abc = value,
        abd = value,
        abe = value,
        abf = value,
        abg = value,
        abh = value;
    long aca = value,
        acb = value,
        acc = value,
        acd = value,
        ace = value,
        acf = value,
        acg = value,
        ach = value;
    long ada = value,
        adb = value,
        adc = value,
        add = value,
        ade = value,
        adf = value,
        adg = value,
        adh = value;
    long aea = value,
        aeb = value,
        aec = value,
        aed = value,
        aee = value,
        aef = value,
        aeg = value,
        aeh = value;
    long afa = value,
        afb = value,
        afc = value,
        afd = value,
        afe = value,
        aff = value,
        afg = value,
        afh = value;
    long aga = value,
        agb = value,
        agc = value,
        agd = value,
        age = value,
        agf = value,
        agg = value,
        agh = value;
    long aha = value,
        ahb = value,
        ahc = value,
        ahd = value,
        ahe = value,
        ahf = value,
        ahg = value,
        ahh = value;
    long baa = value,
        bab = value,
        bac = value,
        bad = value,
        bae = value,
        baf = value,
        bag = value,
        bah = value;
    long bba = value,
        bbb = value,
        bbc = value,
        bbd = value,
        bbe = value,
        bbf = value,
        bbg = value,
        bbh = value;
    long bca = value,
        bcb = value,
        bcc = value,
        bcd = value,
        bce = value,
        bcf = value,
        bcg = value,
        bch = value;
    long bda = value,
        bdb = value,
        bdc = value,
        bdd = value,
        bde = value,
        bdf = value,
        bdg = value,
        bdh = value;
    long bea = value,
        beb = value,
        bec = value,
        bed = value,
        bee = value,
        bef = value,
        beg = value,
        beh = value;
    long bfa = value,
        bfb = value,
        bfc = value,
        bfd = value,
        bfe = value,
        bff = value,
        bfg = value,
        bfh = value;
    long bga = value,
        bgb = value,
        bgc = value,
        bgd = value,
        bge = value,
        bgf = value,
        bgg = value,
        bgh = value;
    long bha = value,
        bhb = value,
        bhc = value,
        bhd = value,
        bhe = value,
        bhf = value,
        bhg = value,
        bhh = value;
    long caa = value,
        cab = value,
        cac = value,
        cad = value,
        cae = value,
        caf = value,
        cag = value,
        cah = value;
    long cba = value,
        cbb = value,
        cbc = value,
        cbd = value,
        cbe = value,
        cbf = value,
        cbg = value,
        cbh = value;
    long cca = value,
        ccb = value,
        ccc = value,
        ccd = value,
        cce = value,
        ccf = value,
        ccg = value,
        cch = value;
    long cda = value,
        cdb = value,
        cdc = value,
        cdd = value,
        cde = value,
        cdf = value,
        cdg = value,
        cdh = value;
    long cea = value,
        ceb = value,
        cec = value,
        ced = value,
        cee = value,
        cef = value,
        ceg = value,
        ceh = value;
    long cfa = value,
        cfb = value,
        cfc = value,
        cfd = value,
        cfe = value,
        cff = value,
        cfg = value,
        cfh = value;
    long cga = value,
        cgb = value,
        cgc = value,
        cgd = value,
        cge = value,
        cgf = value,
        cgg = value,
        cgh = value;
    long cha = value,
        chb = value,
        chc = value,
        chd = value,
        che = value,
        chf = value,
        chg = value,
        chh = value;
    long daa = value,
        dab = value,
        dac = value,
        dad = value,
        dae = value,
        daf = value,
        dag = value,
        dah = value;
    long dba = value,
        dbb = value,
        dbc = value,
        dbd = value,
        dbe = value,
        dbf = value,
        dbg = value,
        dbh = value;
    long dca = value,
        dcb = value,
        dcc = value,
        dcd = value,
        dce = value,
        dcf = value,
        dcg = value,
        dch = value;
    long dda = value,
        ddb = value,
        ddc = value,
        ddd = value,
        dde = value,
        ddf = value,
        ddg = value,
        ddh = value;
    long dea = value,
        deb = value,
        dec = value,
        ded = value,
        dee = value,
        def = value,
        deg = value,
        deh = value;
    long dfa = value,
        dfb = value,
        dfc = value,
        dfd = value,
        dfe = value,
        dff = value,
        dfg = value,
        dfh = value;
    long dga = value,
        dgb = value,
        dgc = value,
        dgd = value,
        dge = value,
        dgf = value,
        dgg = value,
        dgh = value;
    long dha = value,
        dhb = value,
        dhc = value,
        dhd = value,
        dhe = value,
        dhf = value,
        dhg = value,
        dhh = value;
    long eaa = value,
        eab = value,
        eac = value,
        ead = value,
        eae = value,
        eaf = value,
        eag = value,
        eah = value;
    long eba = value,
        ebb = value,
        ebc = value,
        ebd = value,
        ebe = value,
        ebf = value,
        ebg = value,
        ebh = value;
    long eca = value,
        ecb = value,
        ecc = value,
        ecd = value,
        ece = value,
        ecf = value,
        ecg = value,
        ech = value;
    long eda = value,
        edb = value,
        edc = value,
        edd = value,
        ede = value,
        edf = value,
        edg = value,
        edh = value;
    long eea = value,
        eeb = value,
        eec = value,
        eed = value,
        eee = value,
        eef = value,
        eeg = value,
        eeh = value;
    long efa = value,
        efb = value,
        efc = value,
        efd = value,
        efe = value,
        eff = value,
        efg = value,
        efh = value;
    long ega = value,
        egb = value,
        egc = value,
        egd = value,
        ege = value,
        egf = value,
        egg = value,
        egh = value;
    long eha = value,
        ehb = value,
        ehc = value,
        ehd = value,
        ehe = value,
        ehf = value,
        ehg = value,
        ehh = value;
    long faa = value,
        fab = value,
        fac = value,
        fad = value,
        fae = value,
        faf = value,
        fag = value,
        fah = value;
    long fba = value,
        fbb = value,
        fbc = value,
        fbd = value,
        fbe = value,
        fbf = value,
        fbg = value,
        fbh = value;
    long fca = value,
        fcb = value,
        fcc = value,
        fcd = value,
        fce = value,
        fcf = value,
        fcg = value,
        fch = value;
    long fda = value,
        fdb = value,
        fdc = value,
        fdd = value,
        fde = value,
        fdf = value,
        fdg = value,
        fdh = value;
    long fea = value,
        feb = value,
        fec = value,
        fed = value,
        fee = value,
        fef = value,
        feg = value,
        feh = value;
    long ffa = value,
        ffb = value,
        ffc = value,
        ffd = value,
        ffe = value,
        fff = value,
        ffg = value,
        ffh = value;
    long fga = value,
        fgb = value,
        fgc = value,
        fgd = value,
        fge = value,
        fgf = value,
        fgg = value,
        fgh = value;
    long fha = value,
        fhb = value,
        fhc = value,
        fhd = value,
        fhe = value,
        fhf = value,
        fhg = value,
        fhh = value;
    long gaa = value,
        gab = value,
        gac = value,
        gad = value,
        gae = value,
        gaf = value,
        gag = value,
        gah = value;
    long gba = value,
        gbb = value,
        gbc = value,
        gbd = value,
        gbe = value,
        gbf = value,
        gbg = value,
        gbh = value;
    long gca = value,
        gcb = value,
        gcc = value,
        gcd = value,
        gce = value,
        gcf = value,
        gcg = value,
        gch = value;
    long gda = value,
        gdb = value,
        gdc = value,
        gdd = value,
        gde = value,
        gdf = value,
        gdg = value,
        gdh = value;
    long gea = value,
        geb = value,
        gec = value,
        ged = value,
        gee = value,
        gef = value,
        geg = value,
        geh = value;
    long gfa = value,
        gfb = value,
        gfc = value,
        gfd = value,
        gfe = value,
        gff = value,
        gfg = value,
        gfh = value;
    long gga = value,
        ggb = value,
        ggc = value,
        ggd = value,
        gge = value,
        ggf = value,
        ggg = value,
        ggh = value;
    long gha = value,
        ghb = value,
        ghc = value,
        ghd = value,
        ghe = value,
        ghf = value,
        ghg = value,
        ghh = value;
    long haa = value,
        hab = value,
        hac = value,
        had = value,
        hae = value,
        haf = value,
        hag = value,
        hah = value;
    long hba = value,
        hbb = value,
        hbc = value,
        hbd = value,
        hbe = value,
        hbf = value,
        hbg = value,
        hbh = value;
    long hca = value,
        hcb = value,
        hcc = value,
        hcd = value,
        hce = value,
        hcf = value,
        hcg = value,
        hch = value;
    long hda = value,
        hdb = value,
        hdc = value,
        hdd = value,
        hde = value,
        hdf = value,
        hdg = value,
        hdh = value;
    long hea = value,
        heb = value,
        hec = value,
        hed = value,
        hee = value,
        hef = value,
        heg = value,
        heh = value;
    long hfa = value,
        hfb = value,
        hfc = value,
        hfd = value,
        hfe = value,
        hff = value,
        hfg = value,
        hfh = value;
    long hga = value,
        hgb = value,
        hgc = value,
        hgd = value,
        hge = value,
        hgf = value,
        hgg = value,
        hgh = value;
    long hha = value,
        hhb = value,
        hhc = value,
        hhd = value,
        hhe = value,
        hhf = value,
        hhg = value,
        hhh = value;
    long sum = value;
    sum ^=
        aaa ^ aab ^ aac ^ aad ^ aae ^ aaf ^ aag ^ aah ^ aba ^ abb ^ abc ^ abd ^ abe ^ abf ^ abg
            ^ abh;
    sum ^=
        aca ^ acb ^ acc ^ acd ^ ace ^ acf ^ acg ^ ach ^ ada ^ adb ^ adc ^ add ^ ade ^ adf ^ adg
            ^ adh;
    sum ^=
        aea ^ aeb ^ aec ^ aed ^ aee ^ aef ^ aeg ^ aeh ^ afa ^ afb ^ afc ^ afd ^ afe ^ aff ^ afg
            ^ afh;
    sum ^=
        aga ^ agb ^ agc ^ agd ^ age ^ agf ^ agg ^ agh ^ aha ^ ahb ^ ahc ^ ahd ^ ahe ^ ahf ^ ahg
            ^ ahh;
    sum ^=
        baa ^ bab ^ bac ^ bad ^ bae ^ baf ^ bag ^ bah ^ bba ^ bbb ^ bbc ^ bbd ^ bbe ^ bbf ^ bbg
            ^ bbh;
    sum ^=
        bca ^ bcb ^ bcc ^ bcd ^ bce ^ bcf ^ bcg ^ bch ^ bda ^ bdb ^ bdc ^ bdd ^ bde ^ bdf ^ bdg
            ^ bdh;
    sum ^=
        bea ^ beb ^ bec ^ bed ^ bee ^ bef ^ beg ^ beh ^ bfa ^ bfb ^ bfc ^ bfd ^ bfe ^ bff ^ bfg
            ^ bfh;
    sum ^=
        bga ^ bgb ^ bgc ^ bgd ^ bge ^ bgf ^ bgg ^ bgh ^ bha ^ bhb ^ bhc ^ bhd ^ bhe ^ bhf ^ bhg
            ^ bhh;
    sum ^=
        caa ^ cab ^ cac ^ cad ^ cae ^ caf ^ cag ^ cah ^ cba ^ cbb ^ cbc ^ cbd ^ cbe ^ cbf ^ cbg
            ^ cbh;
    sum ^=
        cca ^ ccb ^ ccc ^ ccd ^ cce ^ ccf ^ ccg ^ cch ^ cda ^ cdb ^ cdc ^ cdd ^ cde ^ cdf ^ cdg
            ^ cdh;
    sum ^=
        cea ^ ceb ^ cec ^ ced ^ cee ^ cef ^ ceg ^ ceh ^ cfa ^ cfb ^ cfc ^ cfd ^ cfe ^ cff ^ cfg
            ^ cfh;
    sum ^=
        cga ^ cgb ^ cgc ^ cgd ^ cge ^ cgf ^ cgg ^ cgh ^ cha ^ chb ^ chc ^ chd ^ che ^ chf ^ chg
            ^ chh;
    sum ^=
        daa ^ dab ^ dac ^ dad ^ dae ^ daf ^ dag ^ dah ^ dba ^ dbb ^ dbc ^ dbd ^ dbe ^ dbf ^ dbg
            ^ dbh;
    sum ^=
        dca ^ dcb ^ dcc ^ dcd ^ dce ^ dcf ^ dcg ^ dch ^ dda ^ ddb ^ ddc ^ ddd ^ dde ^ ddf ^ ddg
            ^ ddh;
    sum ^=
        dea ^ deb ^ dec ^ ded ^ dee ^ def ^ deg ^ deh ^ dfa ^ dfb ^ dfc ^ dfd ^ dfe ^ dff ^ dfg
            ^ dfh;
    sum ^=
        dga ^ dgb ^ dgc ^ dgd ^ dge ^ dgf ^ dgg ^ dgh ^ dha ^ dhb ^ dhc ^ dhd ^ dhe ^ dhf ^ dhg
            ^ dhh;
    sum ^=
        eaa ^ eab ^ eac ^ ead ^ eae ^ eaf ^ eag ^ eah ^ eba ^ ebb ^ ebc ^ ebd ^ ebe ^ ebf ^ ebg
            ^ ebh;
    sum ^=
        eca ^ ecb ^ ecc ^ ecd ^ ece ^ ecf ^ ecg ^ ech ^ eda ^ edb ^ edc ^ edd ^ ede ^ edf ^ edg
            ^ edh;
    sum ^=
        eea ^ eeb ^ eec ^ eed ^ eee ^ eef ^ eeg ^ eeh ^ efa ^ efb ^ efc ^ efd ^ efe ^ eff ^ efg
            ^ efh;
    sum ^=
        ega ^ egb ^ egc ^ egd ^ ege ^ egf ^ egg ^ egh ^ eha ^ ehb ^ ehc ^ ehd ^ ehe ^ ehf ^ ehg
            ^ ehh;
    sum ^=
        faa ^ fab ^ fac ^ fad ^ fae ^ faf ^ fag ^ fah ^ fba ^ fbb ^ fbc ^ fbd ^ fbe ^ fbf ^ fbg
            ^ fbh;
    sum ^=
        fca ^ fcb ^ fcc ^ fcd ^ fce ^ fcf ^ fcg ^ fch ^ fda ^ fdb ^ fdc ^ fdd ^ fde ^ fdf ^ fdg
            ^ fdh;
    sum ^=
        fea ^ feb ^ fec ^ fed ^ fee ^ fef ^ feg ^ feh ^ ffa ^ ffb ^ ffc ^ ffd ^ ffe ^ fff ^ ffg
            ^ ffh;
    sum ^=
        fga ^ fgb ^ fgc ^ fgd ^ fge ^ fgf ^ fgg ^ fgh ^ fha ^ fhb ^ fhc ^ fhd ^ fhe ^ fhf ^ fhg
            ^ fhh;
    sum ^=
        gaa ^ gab ^ gac ^ gad ^ gae ^ gaf ^ gag ^ gah ^ gba ^ gbb ^ gbc ^ gbd ^ gbe ^ gbf ^ gbg
            ^ gbh;
    sum ^=
        gca ^ gcb ^ gcc ^ gcd ^ gce ^ gcf ^ gcg ^ gch ^ gda ^ gdb ^ gdc ^ gdd ^ gde ^ gdf ^ gdg
            ^ gdh;
    sum ^=
        gea ^ geb ^ gec ^ ged ^ gee ^ gef ^ geg ^ geh ^ gfa ^ gfb ^ gfc ^ gfd ^ gfe ^ gff ^ gfg
            ^ gfh;
    sum ^=
        gga ^ ggb ^ ggc ^ ggd ^ gge ^ ggf ^ ggg ^ ggh ^ gha ^ ghb ^ ghc ^ ghd ^ ghe ^ ghf ^ ghg
            ^ ghh;
    sum ^=
        haa ^ hab ^ hac ^ had ^ hae ^ haf ^ hag ^ hah ^ hba ^ hbb ^ hbc ^ hbd ^ hbe ^ hbf ^ hbg
            ^ hbh;
    sum ^=
        hca ^ hcb ^ hcc ^ hcd ^ hce ^ hcf ^ hcg ^ hch ^ hda ^ hdb ^ hdc ^ hdd ^ hde ^ hdf ^ hdg
            ^ hdh;
    sum ^=
        hea ^ heb ^ hec ^ hed ^ hee ^ hef ^ heg ^ heh ^ hfa ^ hfb ^ hfc ^ hfd ^ hfe ^ hff ^ hfg
            ^ hfh;
    sum ^=
        hga ^ hgb ^ hgc ^ hgd ^ hge ^ hgf ^ hgg ^ hgh ^ hha ^ hhb ^ hhc ^ hhd ^ hhe ^ hhf ^ hhg
            ^ hhh;
    value = sum;
  }
}
