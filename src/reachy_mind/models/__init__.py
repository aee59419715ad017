"""Models and other big files: what there is and under which licence (`catalogue`), where it lives on this machine
(`store`), and the processes that host one model each (`worker`)."""
